import type { FoundImage } from '../../builder/dockerfile/base-images.ts'
import { type ImageOwner, resolveFor } from '../images/image-gate.ts'
import type { RegistryLogins } from '../images/registry-logins.ts'

interface BaseImageContext {
  owner: ImageOwner
  logins: RegistryLogins
  log: (line: string) => void
}

/**
 * Pulls every image that a Dockerfile names as the app itself would: with its own credential, or not at all. Left to
 * itself, the engine would use what another tenant has pulled. Returns what was found, by the image's name.
 */
export async function findBaseImages(
  images: readonly string[],
  { owner, logins, log }: BaseImageContext,
): Promise<Record<string, FoundImage & { imageId: string }>> {
  const found: Record<string, FoundImage & { imageId: string }> = {}
  for (const image of images) {
    const { pinned, triggers, imageId } = await resolveFor(owner, image, logins)
    const isOwnCopy = pinned.startsWith('sha256:')
    log(`${image} is ${isOwnCopy ? `the engine’s own copy, ${pinned}` : pinned}`)
    // BuildKit does not accept an image id as a name.
    found[image] = { name: isOwnCopy ? image : pinned, triggers, imageId }
  }
  return found
}
