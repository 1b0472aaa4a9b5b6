import { ImageError } from '../../images/image-builder.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { findImage } from './find-image.ts'
import type { ProvideImage } from './own-builder/builder-container.ts'

/**
 * `own`: one for each account; `engine`: the one in the engine that it prefers; `auto`: `own`, and `engine` while the image
 * of the former cannot be had. `classic` and `buildkit`: one of the engine's.
 */
export type BuilderChoice = 'auto' | 'own' | 'engine' | 'classic' | 'buildkit'

/** From this version on, engines prefer BuildKit; older ones that have it do not limit its builds. */
const PREFERS_BUILDKIT = 1.42

/** A registry that is away is not asked again for every build. */
const ASKED_AGAIN_MS = 300_000

export interface Chosen {
  kind: 'own' | 'classic' | 'buildkit'
  warning: string | null
}

interface Choosing {
  engine: DockerEngine
  choice: BuilderChoice
  /** Of builders of accounts. */
  image: string | null
  provideImage: ProvideImage
}

interface Asking {
  signal: AbortSignal
  onLine?: ((line: string) => void) | undefined
}

/** What builds on one engine. */
export class BuilderChooser {
  readonly #choosing: Choosing
  #missing: { why: string; untilMs: number } | null = null

  constructor(choosing: Choosing) {
    this.#choosing = choosing
  }

  /** May fetch the image of builders, and reports it by `onLine`. */
  async choose({ signal, onLine = () => {} }: Asking): Promise<Chosen> {
    const { choice, image } = this.#choosing
    if (choice === 'classic' || choice === 'buildkit') return { kind: choice, warning: null }
    if (choice === 'own') return { kind: 'own', warning: null }
    const missing = choice === 'auto' && image !== null ? await this.#missingImage(image, { signal, onLine }) : null
    if (choice === 'auto' && missing === null) return { kind: 'own', warning: null }
    const warning = missing === null ? null : `The engine’s own builder is used, which is shared: ${missing}`
    return { kind: await this.#preferred(signal), warning }
  }

  /** Null: the engine has it. */
  async #missingImage(image: string, { signal, onLine }: Required<Asking>): Promise<string | null> {
    const { engine, provideImage } = this.#choosing
    if (await findImage(engine, image, signal)) return null
    if (this.#missing && performance.now() < this.#missing.untilMs) return this.#missing.why
    try {
      await provideImage(image, { onLine, signal })
      return null
    } catch (error) {
      if (!(error instanceof ImageError)) throw error
      this.#missing = { why: error.message, untilMs: performance.now() + ASKED_AGAIN_MS }
      return error.message
    }
  }

  async #preferred(signal: AbortSignal): Promise<'classic' | 'buildkit'> {
    const { ApiVersion } = (await ask(this.#choosing.engine, { path: '/version', signal })) as { ApiVersion: string }
    return Number(ApiVersion) >= PREFERS_BUILDKIT ? 'buildkit' : 'classic'
  }
}
