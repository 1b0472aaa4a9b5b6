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
