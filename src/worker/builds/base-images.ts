import { withBaseImages } from '../../builder/dockerfile/base-images.ts'
import { type ImageOwner, resolveFor } from '../images/image-gate.ts'
import type { RegistryLogins } from '../images/registry-logins.ts'

interface BaseImageContext {
  owner: ImageOwner
  logins: RegistryLogins
  log: (line: string) => void
}

/**
 * Pulls every image that a Dockerfile names as the app itself would: with its own credential, or not at all. Left to
 * itself, the engine would use what another tenant has pulled. Returns the Dockerfile with the images pinned.
 */
export function findBaseImages(
  dockerfile: string,
  buildArgs: Readonly<Record<string, string>>,
  { owner, logins, log }: BaseImageContext,
): Promise<string> {
  const found = new Map<string, ReturnType<typeof find>>()
  const find = async (image: string) => {
    const { pinned, triggers } = await resolveFor(owner, image, logins)
    const isOwnCopy = pinned.startsWith('sha256:')
    log(`${image} is ${isOwnCopy ? `the engine’s own copy, ${pinned}` : pinned}`)
    // BuildKit does not accept an image id as a name.
    return { name: isOwnCopy ? image : pinned, triggers }
  }
  return withBaseImages(dockerfile, buildArgs, (image) => {
    const known = found.get(image) ?? find(image)
    found.set(image, known)
    return known
  })
}
