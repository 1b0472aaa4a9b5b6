/** How requests decide the number of containers of an environment (contract §4.3). */
export interface RequestScaling {
  /** Containers that run without any request; 0: it may sleep. */
  minScale: number
  maxScale: number
  /** Requests that one container handles at a time. */
  concurrency: number
  /** Time without a request after which it goes down to `minScale`. */
  idleSeconds: number
  /** Time in which a container must begin its answer. */
  timeoutSeconds: number
}

/** From the cheapest to wake to the cheapest to keep. */
export type SleepDepth = 'FROZEN' | 'STOPPED' | 'NONE'

/** What all ingress processes together have reported. */
export interface RequestDemand {
  inFlight: number
  /** Held for want of a container. */
  waiting: number
  /** The most of both within the last `idleSeconds`. */
  peak: number
  /** Time since the last request; never before the environment was woken. */
  idleSeconds: number
}

/** How many containers the requests ask for at this moment. */
export const neededNow = (
  { concurrency }: Pick<RequestScaling, 'concurrency'>,
  demand: Pick<RequestDemand, 'inFlight' | 'waiting'>,
) => Math.ceil((demand.inFlight + demand.waiting) / concurrency)

/**
 * The number of containers that should run: as many as the requests of the last `idleSeconds` needed at most, within the
 * bounds. Up at once, down only after the whole time: a pause in the traffic must not cost a start.
 */
export function wantedByRequests(scaling: RequestScaling, demand: RequestDemand): number {
  const { minScale, maxScale, concurrency, idleSeconds } = scaling
  const needed = Math.max(neededNow(scaling, demand), Math.ceil(demand.peak / concurrency))
  const atLeast = demand.idleSeconds < idleSeconds ? 1 : 0
  return Math.min(maxScale, Math.max(minScale, needed, atLeast))
}

export interface SleepFacts {
  depth: SleepDepth
  /** Time at this depth. */
  ageSeconds: number
  /** What its container may hold, and what those may hold that were used more recently, in MB. */
  memoryMb: number
  newerMb: number
}

export interface SleepLimits {
  frozenMb: number
  frozenSeconds: number
  stoppedSeconds: number
}

/** The depth at which it should sleep now, and why; null when the present one is right. Only ever deeper. */
export function deeperSleep(facts: SleepFacts, limits: SleepLimits): { depth: SleepDepth; reason: string } | null {
  const { depth, ageSeconds, memoryMb, newerMb } = facts
  if (depth === 'FROZEN') {
    if (newerMb + memoryMb > limits.frozenMb)
      return {
        depth: 'STOPPED',
        reason: `frozen containers may hold ${limits.frozenMb} MB, and others were used since`,
      }
    if (ageSeconds >= limits.frozenSeconds) return { depth: 'STOPPED', reason: `frozen for ${limits.frozenSeconds} s` }
  }
  if (depth === 'STOPPED' && ageSeconds >= limits.stoppedSeconds)
    return { depth: 'NONE', reason: `stopped for ${limits.stoppedSeconds} s` }
  return null
}

/** An ingress process that has not reported for this long has no requests any more: it reports every second. */
export const SESSION_SECONDS = 5

/** Metrics of requests are counted in parts of this length. */
export const SAMPLE_SECONDS = 15

export interface ScalingState {
  /** Null while it is awake. */
  depth: SleepDepth | null
  /** Time at this depth. */
  ageSeconds: number
  /** Containers that take requests, or should. */
  containers: number
  /** Containers that take no new requests, and do not sleep and are not removed yet. */
  draining: number
  /** Every ingress process has acknowledged that they take none. */
  isAcknowledged: boolean
  /** What its container may hold when frozen, and what those of others may that were used more recently. */
  memoryMb: number
  newerMb: number
  /** A failed wake makes the next one wait. */
  mayWake: boolean
}

/** What to do next about an environment that is scaled by requests. */
export type ScalingStep =
  | { kind: 'WAKE' }
  /** More containers, beginning with those that drain. */
  | { kind: 'GROW'; containers: number }
  /** The ones beyond take no new requests from now on. */
  | { kind: 'SHRINK'; containers: number }
  /** Removes what has drained, or puts it to sleep. */
  | { kind: 'FINISH_DRAIN' }
  | { kind: 'SLEEP_DEEPER'; depth: SleepDepth; reason: string }

/** The only place that decides; ingresses report to it, and workers carry out its result. */
export function nextStep(
  scaling: RequestScaling,
  demand: RequestDemand,
  state: ScalingState,
  limits: SleepLimits,
): ScalingStep | null {
  const { depth, containers, draining } = state
  if (depth !== null) {
    const isWanted = demand.waiting > 0 || scaling.minScale > 0
    if (isWanted) return state.mayWake ? { kind: 'WAKE' } : null
    const deeper = deeperSleep({ ...state, depth }, limits)
    return deeper && { kind: 'SLEEP_DEEPER', ...deeper }
  }
  const wanted = wantedByRequests(scaling, demand)
  if (wanted > containers) return { kind: 'GROW', containers: wanted }
  if (wanted < containers) return { kind: 'SHRINK', containers: wanted }
  return (draining > 0 || containers === 0) && state.isAcknowledged ? { kind: 'FINISH_DRAIN' } : null
}
