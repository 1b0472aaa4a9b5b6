import { setTimeout as sleep } from 'node:timers/promises'
import { PART_STATES, type PartFault, type PartState } from '../../domain/part-states.ts'
import { answerJson, type ServerContext } from '../http/context.ts'

export interface ReadinessCheck {
  check(): PartState | Promise<PartState>
  /**
   * False for a part whose failure is reported, but must not take this process out of a load balancer. The engine is
   * one: without it the API still answers and records, and operations wait.
   */
  isRequired: boolean
}

export type Readiness = Readonly<Record<string, ReadinessCheck>>

/** What `/readyz` says about a part. */
export interface ReportedPart {
  ready: boolean
  state: PartFault | 'READY'
  reason: string | null
  nextStep: string | null
  isRequired: boolean
  details?: readonly object[]
}

interface ReportedParts {
  /** Whether this process should get requests. */
  ready: boolean
  /** Names of the parts with which something is wrong. */
  degraded: string[]
  parts: Record<string, ReportedPart>
}

const CHECK_TIMEOUT_MS = 2_000

/** Checks all parts at once, each with a deadline: a part that hangs is not ready. */
export async function readParts(readiness: Readiness): Promise<ReportedParts> {
  const checked = await Promise.all(
    Object.entries(readiness).map(async ([name, { check, isRequired }]) => {
      const state = await Promise.race([resultOf(check), tooLate()])
      return { name, state, isRequired }
    }),
  )
  const parts = checked.map(({ name, state, isRequired }) => [name, reportedPart(state, isRequired)] as const)
  return {
    ready: checked.every(({ state, isRequired }) => state.ready || !isRequired || state.isServing === true),
    degraded: parts.filter(([, { state }]) => state !== 'READY').map(([name]) => name),
    parts: Object.fromEntries(parts),
  }
}

/** A part as `/readyz` and `npm run doctor` report it. */
export function reportedPart(
  { ready, reason, state, nextStep, details }: PartState,
  isRequired: boolean,
): ReportedPart {
  const fault = state ?? (ready ? null : 'FAILING')
  return {
    ready,
    state: fault ?? 'READY',
    reason,
    nextStep: fault && (nextStep ?? PART_STATES[fault]),
    isRequired,
    ...(details ? { details } : {}),
  }
}

async function resultOf(check: ReadinessCheck['check']): Promise<PartState> {
  try {
    return await check()
  } catch (error) {
    return { ready: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

const tooLate = async (): Promise<PartState> => {
  await sleep(CHECK_TIMEOUT_MS, undefined, { ref: false })
  return { ready: false, state: 'NO_ANSWER', reason: `gave no answer within ${CHECK_TIMEOUT_MS} ms` }
}

/** 200 or 503, and which part is not ready. `isDraining`: the process is stopping. */
export async function answerReadiness(c: ServerContext, readiness: Readiness, isDraining: boolean): Promise<Response> {
  const { ready, ...rest } = await readParts(readiness)
  const isReady = ready && !isDraining
  return answerJson(c, isReady ? 200 : 503, { ready: isReady, ...(isDraining ? { draining: true } : {}), ...rest })
}
