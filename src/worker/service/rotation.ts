import { engineOf } from '../../app-types/behaviours.ts'
import type { EngineCredentials } from '../../app-types/engines/engine.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { openedCredentials } from '../../storage/references/connection-urls.ts'
import { refersTo } from '../../storage/references/referring-variables.ts'
import { VersionFailed } from '../attempt/version-failed.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { serviceContainer } from './service-container.ts'

const COMMAND_SECONDS = 120

/** Whether a managed service has passwords that it, or its record, does not know yet. */
export const isRotating = ({ serviceCredentials }: ClaimedAppEnv): boolean =>
  Boolean(serviceCredentials && serviceCredentials.sealedNext !== null)

/**
 * Has the running server set its new passwords. May be repeated: it succeeds also where it has succeeded before.
 * Afterwards `recordRotation` has to be written, and the container made again: it was made with the old ones.
 */
export async function setPasswords(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  { name }: Pick<ObservedReplica, 'name'>,
): Promise<void> {
  const engine = engineOf(appEnv.app, appEnv.presetVersion)
  const { currentContent, serviceCredentials } = appEnv
  const old = openedCredentials(context.vault, appEnv)
  if (!engine || !currentContent || !old || !serviceCredentials?.sealedNext) return
  const { id, sealedNext } = serviceCredentials
  const next = context.vault.forAccount(appEnv.account).openServiceCredentials(id, sealedNext) as EngineCredentials
  const service = serviceContainer(context, appEnv, recordedConfiguration(currentContent))
  const environment = {
    ...service?.container.environment,
    OLD_PASSWORD: old.password,
    NEW_PASSWORD: next.password,
    OLD_ADMIN_PASSWORD: old.adminPassword,
    NEW_ADMIN_PASSWORD: next.adminPassword,
  }
  const options = { key: 'rotate', environment, timeoutSeconds: COMMAND_SECONDS }
  failpoint('passwords.asked', appEnv.id)
  const { exitCode, errorOutput } = await context.engine.exec(name, engine.rotate, options)
  if (exitCode !== 0)
    throw new VersionFailed('ROTATION_FAILED', `${engine.title} did not take new passwords: ${errorOutput.trim()}`)
  failpoint('passwords.set', appEnv.id)
}

/** The new passwords are the ones. Environments of the account that refer to them have a change to apply. */
export async function recordRotation(
  tx: Transaction,
  { accountId, cliEnvName, serviceCredentials }: ClaimedAppEnv,
): Promise<void> {
  if (!serviceCredentials?.sealedNext) return
  const { id, sealedNext } = serviceCredentials
  await tx.$executeRaw`
    UPDATE service_credentials SET sealed_data = ${sealedNext}, sealed_next = NULL, rotated_at = now()
    WHERE id = ${id} AND sealed_next = ${sealedNext}`
  await tx.$executeRaw`
    UPDATE variable v SET references_changed_at = now() FROM app_env e WHERE ${refersTo(accountId, cliEnvName)}`
}
