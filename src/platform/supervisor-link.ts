import { randomUUID } from 'node:crypto'
import type { Config } from '../config/config.ts'

const ANSWER_MS = 1_500

/** What one process reports to the supervisor about itself, for the welcome that another one prints. */
export interface ProcessFacts {
  ingressUrl?: string | null
  ingressPort?: number | null
}

type Message =
  | { type: 'stop' }
  | { type: 'welcome'; facts: ProcessFacts; seconds: number }
  | { type: 'ask'; id: string; question: string; to: number }
  | { type: 'answer'; id: string; value?: unknown; isAway?: true }

/** The supervisor has no other process that could answer, or none that did in time. */
export class ProcessAway extends Error {
  override readonly name = 'ProcessAway'
}

/**
 * The channel to the supervisor (scripts/supervisor/), which starts Berth in several processes and restarts those that
 * die. Through it, one process also asks the other.
 */
export class SupervisorLink {
  /** The process to end in order to end all of Berth. */
  readonly pid = process.ppid
  /** The settings with the roles of all processes under this supervisor. */
  readonly installation: Config
  /** Whether no other process under the supervisor runs yet, so that all ports have to be free. */
  readonly isFirst = process.argv.includes('--first')
  /** What other processes may ask of this one. */
  readonly answers = new Map<string, () => unknown>()
  /** Called when this process has to end: on request, and when the supervisor is gone. */
  onStop: () => void = () => {}
  onWelcome: (facts: ProcessFacts, seconds: number) => void = () => {}
  readonly #waiting = new Map<string, (answer: { value?: unknown; isAway?: true }) => void>()

  constructor(installation: Config) {
    this.installation = installation
    process.on('message', (message: Message) => void this.#onMessage(message))
    process.on('disconnect', () => this.onStop())
    // A terminal sends Ctrl-C to every process in its foreground, and the supervisor decides about the order.
    process.on('SIGINT', () => {})
  }

  /** Whether another process under the supervisor plays the role, and this one does not. */
  isElsewhere(role: Config['BERTH_ROLES'][number], own: Config): boolean {
    return this.installation.BERTH_ROLES.includes(role) && !own.BERTH_ROLES.includes(role)
  }

  /** The database can be used: processes that leave its start to this one may start now. */
  reportDatabase(): void {
    this.#send({ type: 'database' })
  }

  reportReady(facts: ProcessFacts): void {
    this.#send({ type: 'ready', facts })
  }

  /** Asks the other process. Throws ProcessAway when it does not answer. */
  async ask(question: string): Promise<unknown> {
    const id = randomUUID()
    const { promise, resolve } = Promise.withResolvers<{ value?: unknown; isAway?: true }>()
    this.#waiting.set(id, resolve)
    const late = setTimeout(() => resolve({ isAway: true }), ANSWER_MS).unref()
    this.#send({ type: 'ask', id, question })
    const { value, isAway } = await promise
    clearTimeout(late)
    this.#waiting.delete(id)
    if (isAway) throw new ProcessAway('its process does not answer; the supervisor starts it again when it has died')
    return value
  }

  async #onMessage(message: Message): Promise<void> {
    if (message.type === 'stop') this.onStop()
    if (message.type === 'welcome') this.onWelcome(message.facts, message.seconds)
    if (message.type === 'answer') this.#waiting.get(message.id)?.(message)
    if (message.type !== 'ask') return
    const { id, question, to } = message
    const value = await Promise.resolve(this.answers.get(question)?.()).catch(() => undefined)
    this.#send({ type: 'answer', id, to, value })
  }

  #send(message: object): void {
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
}
