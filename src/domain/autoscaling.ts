/** How the number of containers follows the load (contract §3, PATCH /app-env/scaling). */
export interface AutoScaling {
  enabled: boolean
  min: number
  max: number
  cpuPercent: number
  memoryPercent?: number | undefined
  upWindowSeconds: number
  downWindowSeconds: number
}

/** The use of all containers together at one moment, relative to their limits. */
export interface LoadSample {
  at: Date
  cpuPercent: number
  memoryPercent: number
}

export interface ScalingFacts {
  containers: number
  now: Date
  /** Since the last change of the number, oldest first: earlier samples say nothing about the current number. */
  samples: readonly LoadSample[]
  /** Pause between two samples. */
  beatSeconds: number
}

export interface ScalingDecision {
  containers: number
  /** For the history. */
  why: string
}

/** A change of the number of containers that the load calls for. */
export interface ScalingChange {
  appEnvId: string
  from: number
  to: number
  why: string
}

/** Records the operation that makes the change. False when the environment has changed since the decision. */
export type RecordScaling = (change: ScalingChange) => Promise<boolean>

/** A window with fewer samples than this says nothing. */
const MIN_SAMPLES = 2

interface Pressure {
  measure: 'processor' | 'memory'
  target: number
  percentOf: (sample: LoadSample) => number
}

/**
 * The number of containers there should be; null while it is right. Grows when the load was above a target for the
 * whole up window, to as many as bring it back. Shrinks by one when, with one fewer, it would have stayed below all
 * targets for the whole down window.
 */
export function decideScaling(scaling: AutoScaling, facts: ScalingFacts): ScalingDecision | null {
  const { enabled, min, max } = scaling
  const { containers } = facts
  if (!enabled || containers === 0) return null
  if (containers < min) return { containers: min, why: `fewer than the minimum of ${min}` }
  if (containers > max) return { containers: max, why: `more than the maximum of ${max}` }
  const pressures = pressuresOf(scaling)
  return (
    (containers < max && scaleUp(scaling, facts, pressures)) ||
    (containers > min && scaleDown(scaling, facts, pressures)) ||
    null
  )
}

function pressuresOf({ cpuPercent, memoryPercent }: AutoScaling): Pressure[] {
  const processor: Pressure = { measure: 'processor', target: cpuPercent, percentOf: (sample) => sample.cpuPercent }
  if (!memoryPercent) return [processor]
  return [processor, { measure: 'memory', target: memoryPercent, percentOf: (sample) => sample.memoryPercent }]
}

function scaleUp({ max, upWindowSeconds }: AutoScaling, facts: ScalingFacts, pressures: readonly Pressure[]) {
  const samples = windowOf(facts, upWindowSeconds)
  const decisions = pressures.flatMap(({ measure, target, percentOf }): ScalingDecision[] => {
    if (samples.length === 0 || samples.some((sample) => percentOf(sample) <= target)) return []
    const average = averageOf(samples, percentOf)
    const containers = Math.min(max, Math.max(facts.containers + 1, Math.ceil((facts.containers * average) / target)))
    return [{ containers, why: `${measure} at ${average.toFixed(0)} %, above ${target} % for ${upWindowSeconds} s` }]
  })
  return decisions.sort((a, b) => b.containers - a.containers)[0] ?? null
}

function scaleDown({ downWindowSeconds }: AutoScaling, facts: ScalingFacts, pressures: readonly Pressure[]) {
  const samples = windowOf(facts, downWindowSeconds)
  const fewer = facts.containers - 1
  const isEnough = ({ target, percentOf }: Pressure) =>
    samples.every((sample) => (percentOf(sample) * facts.containers) / fewer < target)
  if (samples.length === 0 || !pressures.every(isEnough)) return null
  const words = pressures.map(({ measure, target, percentOf }) => {
    return `${measure} at ${averageOf(samples, percentOf).toFixed(0)} % of a target of ${target} %`
  })
  return { containers: fewer, why: `${words.join(', ')}, low enough for ${fewer} for ${downWindowSeconds} s` }
}

/** The samples of the last so many seconds; none unless they cover the whole window. */
function windowOf({ samples, now, beatSeconds }: ScalingFacts, seconds: number): readonly LoadSample[] {
  // A window shorter than the sampling interval could never be covered.
  const since = now.getTime() - Math.max(seconds, MIN_SAMPLES * beatSeconds) * 1000
  const recent = samples.filter(({ at }) => at.getTime() >= since)
  const [first, last] = [recent[0], recent.at(-1)]
  if (!first || !last || recent.length < MIN_SAMPLES) return []
  const slackMs = 2 * beatSeconds * 1000
  const isCovered = first.at.getTime() - since <= slackMs && now.getTime() - last.at.getTime() <= slackMs
  return isCovered ? recent : []
}

const averageOf = (samples: readonly LoadSample[], percentOf: Pressure['percentOf']): number =>
  samples.reduce((sum, sample) => sum + percentOf(sample), 0) / samples.length
