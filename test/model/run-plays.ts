import fc from 'fast-check'
import { type Play, play } from './draw.ts'
import { openTarget, perform, type Target } from './perform-play.ts'
import type { Stage } from './stage.ts'

export interface Plays extends Play {
  seed: number
  runs: number
  /** Plays that are performed at the same time, each in an account of its own. */
  slots: number
  /** Of the play to repeat, as a failure names it. */
  path?: string | undefined
  /** Searches for a shorter play that fails as well. */
  shrinks?: boolean
}

export interface PlaysReport {
  plays: number
  calls: number
}

/** Every slot draws from a seed of its own, so that one that failed can be repeated alone. */
export async function runPlays(stage: Stage, plays: Plays, log: (line: string) => void): Promise<PlaysReport> {
  const report = { plays: 0, calls: 0 }
  const targets: Target[] = []
  while (targets.length < Math.min(plays.slots, plays.runs)) targets.push(await openTarget(stage))
  await Promise.all(
    targets.map(async (target, slot) => {
      const property = fc.asyncProperty(play(plays), async (turns) => {
        const calls = await perform(stage, target, turns)
        report.calls += calls
        report.plays += 1
        if (report.plays % 100 === 0) log(`${report.plays} plays, ${report.calls} calls`)
      })
      const numRuns = Math.ceil((plays.runs - slot) / plays.slots)
      await fc.assert(property, {
        seed: plays.seed + slot,
        numRuns,
        endOnFailure: !plays.shrinks,
        ...(plays.path ? { path: plays.path } : {}),
        reporter: (details) => throwIfFailed(details, plays),
      })
    }),
  )
  return report
}

function throwIfFailed({ failed, seed, counterexamplePath, counterexample, errorInstance }: Details, plays: Plays) {
  if (!failed) return
  const again = `--seed ${seed} --path ${counterexamplePath} --commands ${plays.turns} --callers ${plays.callers}`
  const turns = counterexample?.[0].filter((turn) => turn !== null).map((turn) => JSON.stringify(turn))
  const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  throw new Error(`${message}\nThe play was:\n${turns?.join('\n')}\nRepeat it: npm run prove -- model ${again}`, {
    cause: errorInstance,
  })
}

type Details = fc.RunDetails<[(import('./draw.ts').Turn | null)[]]>
