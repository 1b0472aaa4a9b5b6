import type { Engine, InPlaceUpgrade } from './engine.ts'
import { engineVersion } from './engines.ts'

/** The change of versions that the engine makes by itself; null where it makes none. Takes full names. */
export function upgradeBetween(engine: Engine, from: string, to: string): InPlaceUpgrade | null {
  const [before, after] = [from, to].map((name) => engineVersion(engine, name)?.version)
  return engine.inPlaceUpgrades.find((upgrade) => upgrade.from === before && upgrade.to === after) ?? null
}

/** Why a version cannot run on the data of another one, with what to do instead; null if it can. */
export function upgradeProblem(engine: Engine, from: string, to: string): string | null {
  if (from === to || upgradeBetween(engine, from, to)) return null
  const possible = engine.inPlaceUpgrades
    .filter((upgrade) => `${engine.name}_${upgrade.from}` === from)
    .map((upgrade) => `${engine.name}_${upgrade.to}`)
  const instead = possible.length > 0 ? `can be upgraded to ${possible.join(', ')} in place` : 'has no upgrade in place'
  return `The data is of ${from}, which ${instead}: back it up, and restore it into a new environment of ${to}`
}
