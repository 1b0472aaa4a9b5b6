import { formatImageReference, parseImageReference } from '../../../domain/image-reference.ts'
import type { HeldImage } from '../../images/image-builder.ts'
import type { DockerEngine } from '../connection.ts'
import { tolerating } from '../engine-answers.ts'
import { listImages } from './list-images.ts'

const GONE = 404
const IN_USE = 409

export async function listHeld(engine: DockerEngine, signal: AbortSignal): Promise<HeldImage[]> {
  const images = await listImages(engine, undefined, signal)
  return images.map(({ Id, RepoDigests }) => ({ id: Id, digests: (RepoDigests ?? []).flatMap(inFull) }))
}

export const heldIds = async (engine: DockerEngine, signal: AbortSignal): Promise<ReadonlySet<string>> =>
  new Set((await listHeld(engine, signal)).map(({ id }) => id))

/** Engines shorten the names of Docker Hub. */
function inFull(digest: string): string[] {
  const parsed = parseImageReference(digest)
  return 'reference' in parsed ? [formatImageReference(parsed.reference)] : []
}

/** By id and without force, so that the engine refuses while containers, images or names of two repositories need it. */
export async function removePulled({ docker }: DockerEngine, id: string, signal: AbortSignal): Promise<void> {
  await tolerating([GONE, IN_USE], () => docker.getImage(id).remove({ abortSignal: signal }))
}
