import { OperationState } from '../../graphql/documents.ts'
import { graphql } from '../../graphql/graphql.ts'

export const BackupState = graphql(`
  fragment BackupState on Backup {
    id kind status message size date finishedAt storage presetVersion
    verified verifiedAt verifyMessage
    pointInTimeFrom pointInTimeTo pointInTimeMessage
  }
`)

export const Backups = graphql(
  `
  query Backups($env: String!, $after: String) {
    appEnv(envName: $env) {
      id version nextBackupAt
      backupSchedule { cron timeZone keepCount keepDays storage pointInTime }
      operations(first: 1) { nodes { ...OperationState } }
    }
    backups(envName: $env, first: 50, after: $after) {
      totalCount
      nodes { ...BackupState }
      pageInfo { hasNextPage endCursor }
    }
  }
`,
  [OperationState, BackupState],
)

/** Where backups can be stored besides the data folder of Berth. */
export const ObjectStorages = graphql(`
  query ObjectStorages($accountId: ID!) {
    credentials(accountId: $accountId, type: [OBJECT_STORAGE], first: 100) { nodes { id name } }
  }
`)

export const BackUp = graphql(`
  mutation BackUp($input: BackUpAppEnvInput!) {
    backUpAppEnv(input: $input) { message appEnv { id status } operation { id status } }
  }
`)

export const VerifyBackup = graphql(`
  mutation VerifyBackup($input: VerifyBackupInput!) {
    verifyBackup(input: $input) { message appEnv { id status } operation { id status } }
  }
`)

export const DeleteBackup = graphql(`
  mutation DeleteBackup($input: DeleteBackupInput!) {
    deleteBackup(input: $input) { message deletedBackupId }
  }
`)

/** Read past the cache: the address is a key to all data. */
export const DownloadBackup = graphql(`
  mutation DownloadBackup($input: DownloadBackupInput!) {
    downloadBackup(input: $input) { downloadUrl expiresAt }
  }
`)

export const ChangeBackupSchedule = graphql(`
  mutation ChangeBackupSchedule($input: UpdateAppEnvInput!) {
    updateAppEnv(input: $input) {
      appEnv { id version nextBackupAt backupSchedule { cron timeZone keepCount keepDays storage pointInTime } }
    }
  }
`)

/** What can be restored here: backups of the environment, and of the others of its account. */
export const Restorable = graphql(
  `
  query Restorable($env: String!, $accountId: ID!) {
    appEnv(envName: $env) {
      id
      referencedBy { otherCount appEnvs { appEnvId envName } }
    }
    own: backups(envName: $env, status: [AVAILABLE], first: 100) { nodes { ...BackupState } }
    all: backups(accountId: $accountId, status: [AVAILABLE], first: 100) { nodes { ...BackupState cliEnvName } }
  }
`,
  [BackupState],
)

export const RestoreBackup = graphql(`
  mutation RestoreBackup($input: RestoreBackupInput!) {
    restoreBackup(input: $input) { message dryRun appEnv { id status } operation { id status } }
  }
`)
