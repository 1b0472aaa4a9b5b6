import { engineOf } from '../../app-types/behaviours.ts'
import { dataProblem } from '../../app-types/engines/upgrades.ts'
import { conflict } from '../../domain/errors.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

/** Throws when the data of a managed service cannot be used by the version. */
export function checkPresetVersion(
  { app, volume, presetVersion }: LoadedAppEnv,
  wanted: string | null | undefined,
): void {
  const problem = dataProblem(engineOf(app, presetVersion), volume?.presetVersion, wanted)
  if (problem !== null) throw conflict('UPGRADE_NOT_IN_PLACE', problem)
}
