import type { ImageBuild } from '../../images/image-builder.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { buildFilters } from './image-labels.ts'
import { jsonLines } from './json-lines.ts'

/**
 * Runs a build whose steps get a limit on their processes. Only for the classic builder: its steps are containers, and
 * the call that builds has no such option, so each is given its limit as soon as the engine reports it. A step has
 * milliseconds without one, in which it can begin nothing that it could continue.
 */
export async function withinProcesses<T>(
  engine: DockerEngine,
  { appEnvId, processes }: Pick<ImageBuild, 'appEnvId' | 'processes'>,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const ended = new AbortController()
  const { label } = buildFilters(engine.installationId, { appEnvId })
  const filters = JSON.stringify({ type: ['container'], event: ['create', 'start'], label })
  const stream = (await ask(engine, {
    path: '/events',
    query: { filters },
    isStream: true,
    signal: AbortSignal.any([signal, ended.signal]),
  })) as NodeJS.ReadableStream
  const limiting = (async () => {
    for await (const { id } of jsonLines<{ id?: string }>(stream)) {
      // A step that has ended by now needs none.
      if (id)
        void engine.docker
          .getContainer(id)
          .update({ PidsLimit: processes })
          .catch(() => {})
    }
  })().catch(() => {})
  try {
    return await work()
  } finally {
    ended.abort()
    await limiting
  }
}
