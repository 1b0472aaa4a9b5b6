import { engineOf } from '../../app-types/behaviours.ts'
import { may } from '../../calls/caller.ts'
import type { CommandContext } from '../../calls/command.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import { conflict, DomainError, invalidField } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { storedBytes } from '../../storage/backups/budget.ts'
import { loginProblem, type ObjectStorageLogin } from '../../storage/backups/stores/object-storage.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { BackupKind, Content } from '../../storage/database/generated/prisma/client.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

const BYTES_PER_MB = 1024 * 1024
/** In place of a credential's id. */
export const LOCAL = 'LOCAL'

/** The engine and the version that runs. Throws where there is nothing that has backups. */
export function deployedService(appEnv: LoadedAppEnv) {
  const engine = engineOf(appEnv.app, appEnv.presetVersion)
  if (!engine) throw conflict('NOT_A_SERVICE', `"${appEnv.cliEnvName}" is not a managed service, and has no backups`)
  const content: Content | null = appEnv.currentContent
  const configuration = content && recordedConfiguration(content)
  const presetVersion = configuration?.presetVersion
  if (!content || !presetVersion) throw conflict('NEVER_DEPLOYED', 'The service was never deployed: deploy it first')
  return { engine, content, configuration, presetVersion }
}

/**
 * `storage` as callers name it: LOCAL, or a credential of object storage that they may read, or that the environment has
 * backups in already.
 */
export async function storageOf(
  { tx, vault, caller }: CommandContext,
  appEnv: LoadedAppEnv,
  field: string,
  storage: string | undefined,
): Promise<string | null> {
  const { accountId, account } = appEnv
  if (storage === undefined || storage === LOCAL) return null
  const isKnown = may(caller, 'account:read', { accountId }) || (await isStorageOf(tx, appEnv, storage))
  const credential = isKnown ? await tx.credential.findFirst({ where: { id: storage, accountId } }) : null
  if (credential?.type !== 'OBJECT_STORAGE')
    throw invalidField(
      field,
      credential
        ? 'must be an OBJECT_STORAGE credential, or LOCAL'
        : 'names no credential of this account; or send LOCAL',
    )
  const login = vault.forAccount(account).openCredential(credential.id, credential.sealedData) as ObjectStorageLogin
  const problem = loginProblem(login)
  if (problem) throw invalidField(field, `cannot be used: ${problem}`)
  return credential.id
}

/** Whether backups of the environment go there, or went there. */
async function isStorageOf(tx: Transaction, { id, backupSchedule }: LoadedAppEnv, storage: string): Promise<boolean> {
  if ((backupSchedule as { storage?: string } | null)?.storage === storage) return true
  return (await tx.backup.count({ where: { appEnvId: id, storageCredentialId: storage } })) > 0
}

/** Throws PAYLOAD_TOO_LARGE when the account has used up what it may store. */
export async function requireBackupRoom({ tx, config }: Pick<CommandContext, 'tx' | 'config'>, accountId: string) {
  const usedMb = Math.ceil((await storedBytes(tx, accountId)) / BYTES_PER_MB)
  const limitMb = config.BERTH_BACKUP_BUDGET_MB
  if (usedMb < limitMb) return
  throw new DomainError(
    'PAYLOAD_TOO_LARGE',
    'BACKUP_BUDGET',
    `The account may have ${limitMb} MB of backups (BERTH_BACKUP_BUDGET_MB), and has ${usedMb} MB: delete some that are not needed`,
  )
}

interface NewBackup {
  kind: BackupKind
  presetVersion: string
  storageCredentialId: string | null
  /** A copy of the files, which is restored with the log of changes: to any moment. */
  isBase?: boolean
}

/** A backup that an operation is about to take. Its row is there first, so that nothing is stored that no row knows. */
export function newBackup({ tx, created }: CommandContext, appEnv: LoadedAppEnv, backup: NewBackup) {
  const id = newId('bak')
  created(id)
  const { accountId, id: appEnvId, cliEnvName } = appEnv
  return {
    id,
    create: async (operationId: string): Promise<void> =>
      void (await tx.backup.create({ data: { id, accountId, appEnvId, cliEnvName, operationId, ...backup } })),
  }
}
