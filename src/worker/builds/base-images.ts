import type { FoundImage } from '../../builder/dockerfile/base-images.ts'
import { parseImageReference } from '../../domain/image-reference.ts'
import type { RegistryCredential } from '../../images/image-builder.ts'
import type { LeasedEngine } from '../engine/leased-engine.ts'

interface BaseImageContext {
  engine: LeasedEngine
  /** By registry. */
  credentials: Readonly<Record<string, RegistryCredential>>
  log: (line: string) => void
}

/**
 * Pulls every image that a Dockerfile names as the app itself would: with its own credential, or not at all. Left to
 * itself, the engine would use what another tenant has pulled. Returns what was found, by the image's name.
 */
export async function findBaseImages(
  images: readonly string[],
  { engine, credentials, log }: BaseImageContext,
): Promise<Record<string, FoundImage>> {
  const found: Record<string, FoundImage> = {}
  for (const image of images) {
    const { pinned, triggers } = await engine.resolveImage(image, credentialFor(image, credentials))
    const isOwnCopy = pinned.startsWith('sha256:')
    log(`${image} is ${isOwnCopy ? `the engine’s own copy, ${pinned}` : pinned}`)
    // BuildKit does not accept an image id as a name.
    found[image] = { name: isOwnCopy ? image : pinned, triggers }
  }
  return found
}

function credentialFor(image: string, credentials: BaseImageContext['credentials']): RegistryCredential | null {
  const parsed = parseImageReference(image)
  const registry = 'reference' in parsed ? parsed.reference.registry : ''
  const [, credential] = Object.entries(credentials).find(([server]) => registryOf(server) === registry) ?? []
  return credential ?? null
}

/** Registries are written as hosts, or as the addresses that engines use for them. */
const registryOf = (server: string): string =>
  server
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .replace(/^index\.docker\.io$/, 'docker.io')
    .toLowerCase()
