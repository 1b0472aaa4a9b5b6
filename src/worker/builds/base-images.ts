import { withBaseImages } from '../../builder/dockerfile/base-images.ts'
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
 * itself, the engine would use what another tenant has pulled. Returns the Dockerfile with the images pinned.
 */
export function findBaseImages(
  dockerfile: string,
  buildArgs: Readonly<Record<string, string>>,
  { engine, credentials, log }: BaseImageContext,
): Promise<string> {
  const found = new Map<string, ReturnType<typeof find>>()
  const find = async (image: string) => {
    const { pinned, triggers } = await engine.resolveImage(image, credentialFor(image, credentials))
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
