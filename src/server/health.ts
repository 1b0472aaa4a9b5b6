import { setTimeout as sleep } from 'node:timers/promises'
import { answerJson, type ServerContext } from '../http/context.ts'

export interface PartState {
  ready: boolean
  /** Why the check failed, or a remark for the operator. Holds no secrets. */
  reason: string | null
}

export interface ReadinessCheck {
  check(): PartState | Promise<PartState>
  /**
   * False for a part whose failure is reported, but must not take this process out of a load balancer. The engine is
   * one: without it the API still answers and records, and operations wait.
   */
  isRequired: boolean
}

export type Readiness = Readonly<Record<string, ReadinessCheck>>

const CHECK_TIMEOUT_MS = 2_000

/** Checks all parts at once, each with a deadline: a part that hangs is not ready. */
export async function readParts(readiness: Readiness) {
  const entries = Object.entries(readiness).map(async ([name, { check, isRequired }]) => {
    const state = await Promise.race([results(check), tooLate()])
    return [name, { ...state, isRequired }] as const
  })
  const parts = Object.fromEntries(await Promise.all(entries))
  return { ready: Object.values(parts).every((part) => part.ready || !part.isRequired), parts }
}

async function results(check: ReadinessCheck['check']): Promise<PartState> {
  try {
    return await check()
  } catch (error) {
    return { ready: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

const tooLate = async (): Promise<PartState> => {
  await sleep(CHECK_TIMEOUT_MS, undefined, { ref: false })
  return { ready: false, reason: `gave no answer within ${CHECK_TIMEOUT_MS} ms` }
}

/** 200 or 503, and which part is not ready. `isDraining`: the process is stopping. */
export async function answerReadiness(c: ServerContext, readiness: Readiness, isDraining: boolean): Promise<Response> {
  const { ready, parts } = await readParts(readiness)
  const isReady = ready && !isDraining
  return answerJson(c, isReady ? 200 : 503, { ready: isReady, ...(isDraining ? { draining: true } : {}), parts })
}
