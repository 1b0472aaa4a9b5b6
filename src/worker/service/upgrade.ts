import { engineOf } from '../../app-types/behaviours.ts'
import type { EngineCommand, InPlaceUpgrade } from '../../app-types/engines/engine.ts'
import { dataProblem, upgradeBetween } from '../../app-types/engines/upgrades.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { VersionFailed } from '../attempt/version-failed.ts'
import { fenced } from '../claim/fenced.ts'
import { primaryOf } from './primary.ts'

const COMMAND_SECONDS = 600

/** Data of a managed service that is about to be used by another version. */
function upgradeOf({ appEnv, content }: VersionAttemptContext): InPlaceUpgrade | null {
  const engine = engineOf(appEnv.app, appEnv.presetVersion)
  const from = appEnv.currentContent && recordedConfiguration(appEnv.currentContent).presetVersion
  const { presetVersion: to, volume } = recordedConfiguration(content)
  return engine && volume && from && to && from !== to ? upgradeBetween(engine, from, to) : null
}

/** Runs what the engine asks for before an upgrade, while the old version serves. Every attempt repeats it. */
export async function prepareUpgrade(attempt: VersionAttemptContext): Promise<void> {
  const before = upgradeOf(attempt)?.before
  if (!before) return
  const serving = primaryOf(await attempt.engine.observe(), attempt.appEnv.rolloutId)
  // Stopped by an earlier attempt, which has run the command.
  if (serving) await run(attempt, serving, before)
}

/** What the engine asks for after an upgrade, before clients are served. */
export async function finishUpgrade(attempt: VersionAttemptContext, ready: readonly ObservedReplica[]): Promise<void> {
  const after = upgradeOf(attempt)?.after
  if (after) for (const replica of ready) await run(attempt, replica, after)
}

async function run(attempt: VersionAttemptContext, { name }: ObservedReplica, command: EngineCommand): Promise<void> {
  const options = { key: 'upgrade', timeoutSeconds: COMMAND_SECONDS }
  const { exitCode, errorOutput } = await attempt.engine.exec(name, command, options)
  if (exitCode !== 0)
    throw new VersionFailed('UPGRADE_FAILED', `The upgrade failed: ${await attempt.quote(errorOutput)}`)
}

/** Before the version touches the data: an older one must not run on it afterwards. */
export async function recordDataVersion({ database, lease, content }: VersionAttemptContext): Promise<void> {
  const { presetVersion, volume } = recordedConfiguration(content)
  if (!presetVersion || !volume) return
  await fenced(database, lease, (tx) =>
    tx.volume.updateMany({
      where: { id: volume.id, presetVersion: { not: presetVersion } },
      data: { presetVersion, version: { increment: 1 } },
    }),
  )
}

/** An upgrade that failed may have changed the data: whatever serves next, it is not the version of before. */
export function requireOwnData(
  app: { dockerPreset: string },
  dataVersion: string | null,
  presetVersion: string | null | undefined,
): void {
  if (dataProblem(engineOf(app, dataVersion), dataVersion, presetVersion) === null) return
  throw new VersionFailed(
    'DATA_OF_ANOTHER_VERSION',
    `${presetVersion} must not run on data that ${dataVersion} was started on: redeploy, to go on with ${dataVersion}`,
  )
}
