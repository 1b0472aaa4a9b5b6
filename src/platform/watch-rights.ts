import type { Logger } from 'pino'
import type { PartState } from '../domain/part-states.ts'
import { failedPart } from '../storage/database/away.ts'
import { type MissingRights, missingInWords } from '../storage/database/rights.ts'
import type { RoleContext } from './role-context.ts'

const CHECK_MS = 60_000
/** It may be granted soon. */
const CHECK_WHILE_MISSING_MS = 5_000
const KEPT_MS = 2_000

/**
 * Compares the rights of this process's database role with what its statements need: at the start, every minute, and for
 * `/readyz`, where it is the part `rights`. What is missing is in the log once, with the statement that grants it.
 */
export function watchRights(
  { log, readiness, undo }: Pick<RoleContext, 'log' | 'readiness' | 'undo'>,
  find: () => Promise<MissingRights | null>,
): void {
  const rights = new Rights(find, log)
  readiness.rights = { isRequired: false, check: () => rights.check() }
  let timer: NodeJS.Timeout
  const again = async () => {
    const { ready } = await rights.check()
    timer = setTimeout(() => void again(), ready ? CHECK_MS : CHECK_WHILE_MISSING_MS).unref()
  }
  timer = setTimeout(() => void again(), 0).unref()
  undo.defer(() => clearTimeout(timer))
}

class Rights {
  readonly #find: () => Promise<MissingRights | null>
  readonly #log: Logger
  #found: { state: Promise<PartState>; at: number } | null = null
  #logged: string | null = null

  constructor(find: () => Promise<MissingRights | null>, log: Logger) {
    this.#find = find
    this.#log = log
  }

  check(): Promise<PartState> {
    if (!this.#found || performance.now() - this.#found.at > KEPT_MS)
      this.#found = { state: this.#compare(), at: performance.now() }
    return this.#found.state
  }

  async #compare(): Promise<PartState> {
    try {
      const missing = await this.#find()
      const words = missing && missingInWords(missing)
      this.#logChange(words)
      return words ? { ready: false, state: 'RIGHTS_MISSING', ...words } : { ready: true, reason: null }
    } catch (error) {
      return { ready: true, reason: `${failedPart(error).reason}, so rights could not be compared` }
    }
  }

  #logChange(words: { reason: string; nextStep: string } | null): void {
    const before = this.#logged
    this.#logged = words?.reason ?? null
    if (words && words.reason !== before) this.#log.error({ nextStep: words.nextStep }, words.reason)
    if (!words && before) this.#log.info('The database role has all of its rights again')
  }
}
