import fc from 'fast-check'
import { type Play, play } from './draw.ts'
import { openPlace, type Place, perform } from './perform-play.ts'
import type { Stage } from './stage.ts'

export interface Plays extends Play {
  seed: number
  runs: number
  /** Plays that are performed at the same time, each in an account of its own. */
  lanes: number
  /** Of the play to repeat, as a failure names it. */
  path?: string | undefined
  /** Looks for a shorter play that fails as well. */
  shrinks?: boolean
}

export interface PlaysReport {
  plays: number
  calls: number
}

/** Every lane draws from a seed of its own, so that a lane that failed can be repeated alone. */
export async function runPlays(stage: Stage, plays: Plays, tell: (line: string) => void): Promise<PlaysReport> {
  const report = { plays: 0, calls: 0 }
  const places: Place[] = []
  while (places.length < Math.min(plays.lanes, plays.runs)) places.push(await openPlace(stage))
  await Promise.all(
    places.map(async (place, lane) => {
      const property = fc.asyncProperty(play(plays), async (turns) => {
        const calls = await perform(stage, place, turns)
        report.calls += calls
        report.plays += 1
        if (report.plays % 100 === 0) tell(`${report.plays} plays, ${report.calls} calls`)
      })
      const numRuns = Math.ceil((plays.runs - lane) / plays.lanes)
      await fc.assert(property, {
        seed: plays.seed + lane,
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
  throw new Error(`${message}\nThe play was:\n${turns?.join('\n')}\nRepeat it: npm run prove:model -- ${again}`, {
    cause: errorInstance,
  })
}

type Details = fc.RunDetails<[(import('./draw.ts').Turn | null)[]]>
