import { Registry } from 'prom-client'
import type { ReadinessCheck } from '../api/server/health.ts'
import type { PartState } from '../domain/part-states.ts'
import type { RoleContext } from './role-context.ts'
import { ProcessAway, type SupervisorLink } from './supervisor-link.ts'

const METRICS = 'metrics'

const readinessOf = (part: string) => `readiness ${part}`

/** Lets the other process ask for the readiness of every part that this one has by now, and for its metrics. */
export function answerSibling(link: SupervisorLink, { readiness, registry }: RoleContext): void {
  for (const [part, { check }] of Object.entries(readiness)) {
    link.answers.set(readinessOf(part), async () => {
      try {
        return await check()
      } catch (error) {
        return { ready: false, reason: error instanceof Error ? error.message : String(error) }
      }
    })
  }
  link.answers.set(METRICS, () => registry.metrics())
}

/** The readiness of a part that the other process has. */
export function siblingPart(link: SupervisorLink, part: string, isRequired: boolean): ReadinessCheck {
  const check = async (): Promise<PartState> => {
    try {
      const state = (await link.ask(readinessOf(part))) as PartState | undefined
      return state ?? { ready: false, state: 'STARTING', reason: 'its process does not have this part yet' }
    } catch (error) {
      if (!(error instanceof ProcessAway)) throw error
      return { ready: false, state: 'PROCESS_AWAY', reason: error.message }
    }
  }
  return { isRequired, check }
}

/** Shows the metrics of the other process after those of this one, as if there were one process. */
export class SharedRegistry extends Registry {
  readonly #link: SupervisorLink

  constructor(link: SupervisorLink) {
    super()
    this.#link = link
  }

  override async metrics(): Promise<string> {
    const own = await super.metrics()
    const other = await this.#link.ask(METRICS).catch((error: unknown) => {
      if (error instanceof ProcessAway) return ''
      throw error
    })
    return `${own}${other ?? ''}`
  }
}
