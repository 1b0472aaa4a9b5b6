import type { ImageInfo } from 'dockerode'
import type { BuildStep, BuiltImage } from '../../images/image-builder.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { statusOf, tolerating } from '../engine-answers.ts'
import { LABEL } from '../labels.ts'
import { buildFilters, imageFilters } from './image-labels.ts'
import { listImages } from './list-images.ts'

const GONE = 404
const IN_USE = 409

export async function listBuilt(
  engine: DockerEngine,
  filter: { appEnvId?: string },
  signal: AbortSignal,
): Promise<BuiltImage[]> {
  const images = await listImages(engine, imageFilters(engine.installationId, filter), signal)
  return images.map(builtImage)
}

const builtImage = ({ Id, Labels, Created }: ImageInfo): BuiltImage => ({
  id: Id,
  appEnvId: Labels[LABEL.appEnv] ?? '',
  contentId: Labels[LABEL.content] ?? null,
  createdAt: new Date(Created * 1000),
})

/** What the engine shows as an image's size may be what its layers take packed, or packed and unpacked together. */
export async function measureImage(engine: DockerEngine, id: string, signal: AbortSignal): Promise<number | null> {
  try {
    const layers = (await ask(engine, { path: `/images/${id}/history`, signal })) as { Size: number }[]
    return layers.reduce((sum, { Size }) => sum + Size, 0)
  } catch (error) {
    if (statusOf(error) !== GONE) throw error
    return null
  }
}

export async function removeBuilt({ docker }: DockerEngine, id: string, signal: AbortSignal): Promise<void> {
  await tolerating([GONE, IN_USE], () => docker.getImage(id).remove({ force: true, abortSignal: signal }))
}

/** The engine removes a build's container itself, unless the engine was killed. */
export async function listBuildSteps(
  { docker, installationId }: DockerEngine,
  filter: { appEnvId?: string },
  signal: AbortSignal,
): Promise<BuildStep[]> {
  const filters = buildFilters(installationId, filter)
  const containers = await docker.listContainers({ all: true, filters, abortSignal: signal })
  return containers.map(({ Id, Labels }) => ({ containerId: Id, appEnvId: Labels[LABEL.appEnv] ?? '' }))
}

export async function removeBuildStep(
  { docker }: DockerEngine,
  containerId: string,
  signal: AbortSignal,
): Promise<void> {
  await tolerating([GONE, IN_USE], () =>
    docker.getContainer(containerId).remove({ force: true, v: true, abortSignal: signal }),
  )
}

export async function clearBuilds(
  engine: DockerEngine,
  { appEnvId, since }: { appEnvId: string; since: Date },
  signal: AbortSignal,
): Promise<void> {
  const steps = await listBuildSteps(engine, { appEnvId }, signal)
  for (const { containerId } of steps) await removeBuildStep(engine, containerId, signal)
  const leftovers = (await listBuilt(engine, { appEnvId }, signal)).filter(
    // The engine's clock counts in whole seconds.
    ({ contentId, createdAt }) => contentId === null && createdAt.getTime() >= since.getTime() - 1000,
  )
  for (const { id } of leftovers) await removeBuilt(engine, id, signal)
}
