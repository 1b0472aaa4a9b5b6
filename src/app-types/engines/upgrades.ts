import type { Engine, InPlaceUpgrade } from './engine.ts'
import { engineVersion, versionName } from './engines.ts'

/**
 * Whether a backup of one version can be restored into another: the same; a newer one, where the engine reads the
 * backup; and where it starts on restored files, only a version that it upgrades to in place. Never an older one.
 */
export function restoresInto(engine: Engine, from: string, to: string): boolean {
  if (from === to) return true
  if (engine.backup.restore.while === 'STOPPED') return upgradeBetween(engine, from, to) !== null
  // Newest first.
  const names = engine.versions.map((version) => versionName(engine, version))
  return names.includes(from) && names.includes(to) && names.indexOf(to) < names.indexOf(from)
}

/** The change of versions that the engine makes by itself; null where it makes none. Takes full names. */
export function upgradeBetween(engine: Engine, from: string, to: string): InPlaceUpgrade | null {
  const [before, after] = [from, to].map((name) => engineVersion(engine, name)?.version)
  return engine.inPlaceUpgrades.find((upgrade) => upgrade.from === before && upgrade.to === after) ?? null
}

/**
 * Why the data of a managed service cannot be used by a version; null if it can, and where there is no engine, no version
 * or no data to keep.
 */
export const dataProblem = (
  engine: Engine | null,
  data: string | null | undefined,
  wanted: string | null | undefined,
): string | null => (engine && data && wanted ? upgradeProblem(engine, data, wanted) : null)

/** Why a version cannot run on the data of another one, with what to do instead; null if it can. */
export function upgradeProblem(engine: Engine, from: string, to: string): string | null {
  if (from === to || upgradeBetween(engine, from, to)) return null
  const possible = engine.inPlaceUpgrades
    .filter((upgrade) => `${engine.name}_${upgrade.from}` === from)
    .map((upgrade) => `${engine.name}_${upgrade.to}`)
  const instead = possible.length > 0 ? `can be upgraded to ${possible.join(', ')} in place` : 'has no upgrade in place'
  return `The data is of ${from}, which ${instead}: back it up, and restore it into a new environment of ${to}`
}
