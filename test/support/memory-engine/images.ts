import { createHash } from 'node:crypto'
import { formatImageReference, parseImageReference } from '../../../src/domain/image-reference.ts'
import type { Program } from './program.ts'

export interface ImageConfig {
  entrypoint: readonly string[]
  command: readonly string[]
  environment: Readonly<Record<string, string>>
  directory: string
  labels: Readonly<Record<string, string>>
  /** The instructions that it runs in a build that starts from it. */
  triggers: readonly string[]
}

export interface MemoryImage {
  id: string
  config: ImageConfig
  files: ReadonlyMap<string, Buffer>
  /** The programs, by the path or name with which commands start them. */
  programs: Readonly<Record<string, Program>>
  createdAt: Date
}

export const EMPTY_CONFIG: ImageConfig = {
  entrypoint: [],
  command: [],
  environment: {},
  directory: '/',
  labels: {},
  triggers: [],
}

export const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** The id is derived from the image's content, so that it is the same on every machine. */
export function createImage(parts: Partial<Omit<MemoryImage, 'id' | 'createdAt'>>): MemoryImage {
  const { config = EMPTY_CONFIG, files = new Map<string, Buffer>(), programs = {} } = parts
  const content = [...files].map(([path, bytes]) => [path, sha256(bytes.toString('latin1'))])
  const id = sha256(JSON.stringify([config, content.sort(), Object.keys(programs).sort()]))
  return { id, config, files, programs, createdAt: new Date() }
}

/** The images of one machine, by their ids and their names. */
export class ImageStore {
  readonly #images = new Map<string, MemoryImage>()
  readonly #names = new Map<string, string>()

  add(image: MemoryImage, name?: string): void {
    if (!this.#images.has(image.id)) this.#images.set(image.id, image)
    if (name !== undefined) this.#names.set(fullName(name), image.id)
  }

  /** By id, by tag, or by digest. */
  find(reference: string): MemoryImage | null {
    return this.#images.get(this.#names.get(fullName(reference)) ?? reference) ?? null
  }

  digestsOf(id: string): string[] {
    return [...this.#names].flatMap(([name, named]) => (named === id && name.includes('@') ? [name] : []))
  }

  /** Whether a registry's digest in the repository is among its names. */
  hasDigest({ id }: MemoryImage, repository: string): boolean {
    return this.digestsOf(id).some((name) => name.startsWith(`${repository}@`))
  }

  list(): MemoryImage[] {
    return [...this.#images.values()]
  }

  /** Under all of its names. */
  remove(id: string): void {
    this.#images.delete(id)
    for (const [name, named] of this.#names) if (named === id) this.#names.delete(name)
  }
}

function fullName(name: string): string {
  const parsed = parseImageReference(name)
  return 'reference' in parsed ? formatImageReference(parsed.reference) : name
}
