import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Config } from '../../config/config.ts'
import { DomainError } from '../../domain/errors.ts'
import { withoutTrailing } from '../../domain/without-trailing.ts'

const derive = promisify(argon2)

const SALT_BYTES = 16
const HASH_BYTES = 32
const PARALLELISM = 1
const VERSION = 19
/** Waiting hashes per running one; a longer queue would take seconds. */
const MAX_WAITING = 16

type Settings = Pick<Config, 'BERTH_PASSWORD_MEMORY_KB' | 'BERTH_PASSWORD_PASSES' | 'BERTH_PASSWORD_HASHES'>

interface Hashed {
  memory: number
  passes: number
  salt: Buffer
  hash: Buffer
}

export interface Checked {
  matches: boolean
  /** Whether it matches, and should be hashed anew, as the settings are now. */
  isOutdated: boolean
}

/**
 * Hashes passwords by Argon2id, a few at a time: each takes megabytes, and a thread of the pool that also reads files and
 * resolves names, so that sign-ins must not be able to take them all.
 */
export class Passwords {
  readonly #memory: number
  readonly #passes: number
  readonly #atOnce: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(settings: Settings) {
    this.#memory = settings.BERTH_PASSWORD_MEMORY_KB
    this.#passes = settings.BERTH_PASSWORD_PASSES
    this.#atOnce = settings.BERTH_PASSWORD_HASHES
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    const { hash } = await this.#derive(password, { memory: this.#memory, passes: this.#passes, salt })
    const [encodedSalt, encodedHash] = [salt, hash].map((bytes) => withoutTrailing(bytes.toString('base64'), '='))
    return `$argon2id$v=${VERSION}$m=${this.#memory},t=${this.#passes},p=${PARALLELISM}$${encodedSalt}$${encodedHash}`
  }

  /** Compares with a stored hash; with none, as much is computed, and nothing matches. */
  async check(password: string, stored: string | null): Promise<Checked> {
    const expected = stored === null ? null : parsed(stored)
    const { memory, passes, salt } = expected ?? {
      memory: this.#memory,
      passes: this.#passes,
      salt: randomBytes(SALT_BYTES),
    }
    const { hash } = await this.#derive(password, { memory, passes, salt })
    const matches = expected !== null && timingSafeEqual(hash, expected.hash)
    return { matches, isOutdated: matches && (memory !== this.#memory || passes !== this.#passes) }
  }

  async #derive(password: string, { memory, passes, salt }: Omit<Hashed, 'hash'>): Promise<{ hash: Buffer }> {
    await this.#turn()
    try {
      // The same password, typed on another keyboard.
      const message = Buffer.from(password.normalize('NFKC'))
      const parameters = { message, nonce: salt, parallelism: PARALLELISM, tagLength: HASH_BYTES, memory, passes }
      return { hash: await derive('argon2id', parameters) }
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }

  async #turn(): Promise<void> {
    if (this.#running < this.#atOnce) {
      this.#running += 1
      return
    }
    if (this.#waiting.length >= this.#atOnce * MAX_WAITING) throw tooMany()
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}

const tooMany = () =>
  new DomainError('RATE_LIMITED', 'TOO_MANY_SIGN_INS', 'Too many users sign in at the same time; try again in 1 s', {
    retryAfterSeconds: 1,
  })

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function parsed(stored: string): Hashed {
  const [, memory, passes, salt, hash] = PHC.exec(stored) ?? []
  if (!memory || !passes || !salt || !hash) throw new Error('A stored password hash is not one of Argon2id')
  return {
    memory: Number(memory),
    passes: Number(passes),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}
