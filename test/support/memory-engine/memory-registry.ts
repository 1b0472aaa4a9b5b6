import type { ImageReference } from '../../../src/domain/image-reference.ts'
import type { RegistryCredential } from '../../../src/engines/images/image-builder.ts'
import { type MemoryImage, sha256 } from './images.ts'

interface Repository {
  digests: Map<string, string>
  images: Map<string, MemoryImage>
}

export type RegistryRefusal = 'denied' | 'unknown' | 'unreachable'

/** A registry that lets in one user, or everybody. */
export class MemoryRegistry {
  readonly #credential: RegistryCredential | null
  readonly #repositories = new Map<string, Repository>()
  isUp = true

  constructor(credential: RegistryCredential | null) {
    this.#credential = credential
  }

  pull(
    { repository, tag, digest }: ImageReference,
    credential: RegistryCredential | null,
  ): { image: MemoryImage; digest: string } | RegistryRefusal {
    const refusal = this.#refusal(credential)
    if (refusal) return refusal
    const found = this.#repositories.get(repository)
    const wanted = digest ?? found?.digests.get(tag ?? 'latest') ?? ''
    const image = found?.images.get(wanted)
    return image ? { image, digest: wanted } : 'unknown'
  }

  /** Returns the digest. */
  push(
    { repository, tag }: ImageReference,
    image: MemoryImage,
    credential: RegistryCredential | null,
  ): { digest: string } | RegistryRefusal {
    const refusal = this.#refusal(credential)
    if (refusal) return refusal
    const found = this.#repositories.get(repository) ?? { digests: new Map(), images: new Map() }
    this.#repositories.set(repository, found)
    const digest = sha256(`manifest of ${image.id}`)
    found.images.set(digest, image)
    found.digests.set(tag ?? 'latest', digest)
    return { digest }
  }

  #refusal(credential: RegistryCredential | null): RegistryRefusal | null {
    if (!this.isUp) return 'unreachable'
    const wanted = this.#credential
    if (!wanted) return null
    return wanted.username === credential?.username && wanted.password === credential.password ? null : 'denied'
  }
}
