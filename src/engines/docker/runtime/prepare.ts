import type { ContainerSettings } from '../../../domain/container-settings.ts'
import { RuntimeError } from '../../runtime/container-runtime.ts'
import type { DockerEngine } from '../connection.ts'
import { writeFiles } from './files.ts'
import { giveVolume, ownerOf } from './volume-owner.ts'
import type { Mounted } from './volumes.ts'

/** What a container needs between its creation and its start. Repeating it is harmless. */
export async function prepareContainer(
  engine: DockerEngine,
  id: string,
  { volume, scratchPaths = [], files }: Pick<Mounted, 'volume' | 'scratchPaths' | 'files'>,
  signal: AbortSignal,
): Promise<void> {
  const paths = [...(volume ? [volume.path] : []), ...scratchPaths]
  if (paths.length + files.length === 0) return
  const container = engine.docker.getContainer(id)
  const inspected = await container.inspect({ abortSignal: signal })
  const owner = await ownerOf(container, inspected.Config.User, signal)
  if (owner) for (const path of paths) await giveVolume(engine, inspected, { path, owner }, signal)
  await writeFiles(container, files, owner ?? { uid: 0, gid: 0 }, signal)
}

interface Limited {
  settings: ContainerSettings | null
}

/** Whether the owner of a container has set limits, which are no wish of ours that an engine may leave unfulfilled. */
export const hasOwnLimits = ({ settings }: Limited): boolean => (settings?.ulimits ?? []).length > 0

export const limitsRefused = (words: string): RuntimeError =>
  new RuntimeError(
    'CONTAINER_START_FAILED',
    `containerSettings.ulimits: the engine's machine allows no such limit: ${words}. Lower it`,
  )
