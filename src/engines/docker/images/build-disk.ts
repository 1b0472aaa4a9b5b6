import { setTimeout as pause } from 'node:timers/promises'
import { type ImageBuild, ImageError } from '../../images/image-builder.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { buildFilters } from './image-labels.ts'

const CHECK_EVERY_MS = 1_500
const BYTES_PER_MB = 1024 * 1024

/**
 * Runs a build under a signal that also fires, with the reason, once it has written too much. Only for the classic
 * builder, whose steps run in containers that can be found.
 */
export async function withinDisk<T>(
  engine: DockerEngine,
  { appEnvId, diskMb }: ImageBuild,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const ended = new AbortController()
  const checking = AbortSignal.any([signal, ended.signal])
  const before = new Set((await writings(engine, appEnvId, signal)).map(({ id }) => id))
  const watching = (async () => {
    while (!checking.aborted && !over.signal.aborted) {
      await pause(CHECK_EVERY_MS, undefined, { signal: checking }).catch(() => {})
      // A failed check says nothing; the next one may succeed.
      const found = await writings(engine, appEnvId, checking).catch(() => [])
      const written = found.reduce((sum, { id, bytes }) => sum + (before.has(id) ? 0 : bytes), 0)
      if (written <= diskMb * BYTES_PER_MB) continue
      const words = `The build has written more than ${diskMb} MB`
      over.abort(new ImageError('DISK_QUOTA_EXCEEDED', words, { limit: 'diskMb' }))
    }
  })()
  try {
    return await work(AbortSignal.any([signal, over.signal]))
  } catch (error) {
    throw over.signal.aborted ? over.signal.reason : error
  } finally {
    ended.abort()
    await watching
  }
}

interface Layer {
  Id: string
  ParentId: string
  Size: number
}

/** What each finished step has added to the engine's disk, and what the running ones have written so far. */
async function writings(
  engine: DockerEngine,
  appEnvId: string,
  signal: AbortSignal,
): Promise<readonly { id: string; bytes: number }[]> {
  const filters = JSON.stringify(buildFilters(engine.installationId, { appEnvId }))
  const [layers, running] = (await Promise.all([
    ask(engine, { path: '/images/json', query: { all: true, filters }, signal }),
    ask(engine, { path: '/containers/json', query: { size: true, filters }, signal }),
  ])) as [Layer[], { Id: string; SizeRw?: number }[]]
  const sizes = new Map(layers.map(({ Id, Size }) => [Id, Size]))
  return [
    // The first layer with our labels adds nothing else: its parent, the base image, has no labels of ours.
    ...layers.map(({ Id, ParentId, Size }) => ({ id: Id, bytes: Size - (sizes.get(ParentId) ?? Size) })),
    ...running.map(({ Id, SizeRw }) => ({ id: Id, bytes: SizeRw ?? 0 })),
  ]
}
