import type { ImageInspectInfo } from 'dockerode'
import { type ImageReference, parseImageReference, repositoryOf } from '../../../domain/image-reference.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { statusOf } from '../engine-answers.ts'
import { within } from '../within.ts'

/** The digest under which the engine knows the image in the reference's own repository. */
export function digestOf(image: ImageInspectInfo, reference: ImageReference): string | null {
  for (const known of image.RepoDigests ?? []) {
    const parsed = parseImageReference(known)
    if ('reference' in parsed && repositoryOf(parsed.reference) === repositoryOf(reference))
      return parsed.reference.digest
  }
  return null
}

/** With the timeout of a short call, not of a pull: this also shows whether the engine is there at all. */
export const findImage = (engine: DockerEngine, name: string, signal: AbortSignal): Promise<ImageInspectInfo | null> =>
  within(engine, { signal }, async (short) => {
    try {
      return (await ask(engine, { path: `/images/${name}/json`, signal: short })) as ImageInspectInfo
    } catch (error) {
      if (statusOf(error) === 404) return null
      throw error
    }
  })
