import { engineOf } from '../../app-types/behaviours.ts'
import type { EngineCredentials } from '../../app-types/engines/engine.ts'
import type { CommandContext } from '../../calls/command.ts'
import { conflict } from '../../domain/errors.ts'
import { openedCredentials } from '../../storage/references/connection-urls.ts'
import { newPassword } from '../service-credentials/generate-credentials.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { openOperationOf } from './begin-operation.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'

export const rotateCredentials = lifecycleOperation({
  name: 'rotateCredentials',
  path: '/app-env/credentials/rotate',
  about:
    'Give a managed service new passwords. Its data stays; connections end. Apps that refer to it get a pending change.',
  accepted: 'The credentials are being rotated',
  dangerous: true,
  permission: 'credentials:rotate',
  input: {},
  async plan(context, appEnv) {
    if (!engineOf(appEnv.app, appEnv.presetVersion))
      throw conflict(
        'NO_CREDENTIALS',
        `"${appEnv.cliEnvName}" is not a managed service, and has no generated credentials`,
      )
    // The server itself sets a password, so it has to run.
    if (appEnv.status === 'PENDING') throw conflict('NEVER_DEPLOYED', 'The service does not run: deploy it first')
    if (appEnv.status === 'STOPPED')
      throw conflict('ENVIRONMENT_STOPPED', 'The service is stopped: start it, then rotate its credentials')
    const open = await openOperationOf(context.tx, appEnv)
    if (open && open.kind !== 'ROTATE_CREDENTIALS')
      throw conflict('OPERATION_IN_PROGRESS', `An operation is in progress: ${open.kind}. Rotate when it has ended`)
    await setNext(context, appEnv)
    return { intent: { kind: 'ROTATE_CREDENTIALS' } }
  },
})

/** An interrupted rotation continues with its passwords: the server may have them already. */
async function setNext({ tx, vault }: CommandContext, { account, serviceCredentialsId }: LoadedAppEnv): Promise<void> {
  const id = serviceCredentialsId ?? ''
  const serviceCredentials = await tx.serviceCredentials.findUniqueOrThrow({ where: { id } })
  if (serviceCredentials.sealedNext !== null) return
  const { user } = openedCredentials(vault, { account, serviceCredentials }) as EngineCredentials
  const next: EngineCredentials = { user, password: newPassword(), adminPassword: newPassword() }
  const sealedNext = vault.forAccount(account).sealServiceCredentials(id, next)
  await tx.serviceCredentials.update({ where: { id }, data: { sealedNext } })
}
