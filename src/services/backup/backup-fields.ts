import { enumeration } from '../../calls/enumeration.ts'
import { EXAMPLE_TIME, exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, text, time, VERSION, whole } from '../../calls/field.ts'
import { answer, resource } from '../../calls/resource.ts'
import type { Backup, WalArchive } from '../../storage/database/generated/prisma/client.ts'
import { accepted } from '../targets/accepted.ts'

export const backupStatus = enumeration('BackupStatus', 'Whether a backup can be used.', {
  CREATING: 'The backup is being taken.',
  AVAILABLE: 'The backup is whole.',
  FAILED: 'The backup was not taken; there is no file.',
  DELETING: 'The backup is being deleted.',
})

export const backupKind = enumeration('BackupKind', 'Why a backup was taken.', {
  MANUAL: 'A user or a token requested the backup.',
  SCHEDULED: 'The backup schedule of the environment began the backup.',
  BEFORE_RESTORE: 'The backup holds what a restored one was about to replace.',
})

const field = fieldsOf<Backup>()

const withArchive = { restorableFrom: true, archive: { select: { until: true, message: true, endReason: true } } }

interface Archived extends Pick<Backup, 'restorableFrom'> {
  archive: Pick<WalArchive, 'until' | 'message' | 'endReason'> | null
}

export const backup = resource({
  name: 'Backup',
  id: 'Backup',
  description: 'What a managed service held at one time. It outlives the environment.',
  examples: {
    key: exampleId('bak'),
    file: `${exampleId('bak')}-1.backup`,
    date: EXAMPLE_TIME,
    size: 1024,
    status: 'AVAILABLE',
    verified: true,
    verifiedAt: EXAMPLE_TIME,
    verifyMessage: null,
    presetVersion: 'POSTGRESQL_17',
    storage: 'LOCAL',
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    message: null,
    pointInTimeFrom: EXAMPLE_TIME,
    pointInTimeTo: EXAMPLE_TIME,
    pointInTimeMessage: null,
  },
  fields: {
    key: field.column('id', text, 'Key of the backup.', { inGraphQL: { name: 'id' } }),
    file: field.column('file', text.nullable(), 'Name of the file in its storage; null until there is one.'),
    date: field.column('createdAt', time, 'Time at which the backup was requested.'),
    size: field.from(
      { sizeBytes: true },
      whole.nullable(),
      'Size of the file in bytes, compressed and encrypted; null until it is whole.',
      ({ sizeBytes }: Pick<Backup, 'sizeBytes'>) => (sizeBytes === null ? null : Number(sizeBytes)),
      { inGraphQL: { type: 'Float' } },
    ),
    status: field.column('status', backupStatus.type, 'Whether the backup can be used.'),
    verified: field.from(
      { verifiedAt: true },
      flag,
      'Whether the backup was restored into a throw-away container, and answered.',
      ({ verifiedAt }: Pick<Backup, 'verifiedAt'>) => verifiedAt !== null,
    ),
    verifiedAt: field.column(
      'verifiedAt',
      time.nullable(),
      'Time at which the backup was verified; null if it is not.',
    ),
    verifyMessage: field.column('verifyMessage', text.nullable(), 'Why the last verification failed, if it did.'),
    kind: field.column('kind', backupKind.type, 'Why the backup was taken.'),
    presetVersion: field.column('presetVersion', text, 'Version of the managed service that the backup is of.'),
    storage: field.from(
      { storageCredentialId: true },
      text,
      'Storage of the file: LOCAL, the data folder, or the id of the credential of object storage.',
      ({ storageCredentialId }: Pick<Backup, 'storageCredentialId'>) => storageCredentialId ?? 'LOCAL',
    ),
    sha256: field.column('sha256', text.nullable(), 'SHA-256 of the file as it is stored; null until it is whole.'),
    message: field.column('message', text.nullable(), 'Why the backup failed, if it did.'),
    pointInTimeFrom: field.column(
      'restorableFrom',
      time.nullable(),
      'Earliest moment that the backup can be restored to; null for one that holds one moment only.',
    ),
    pointInTimeTo: field.from(
      withArchive,
      time.nullable(),
      'Latest moment that the backup can be restored to: as far as the log of changes is stored without a gap.',
      ({ restorableFrom, archive }: Archived) =>
        restorableFrom === null ? null : (archive?.until?.toISOString() ?? null),
      { inGraphQL: { type: 'DateTime' } },
    ),
    pointInTimeMessage: field.from(
      withArchive,
      text.nullable(),
      'Why the log of changes is not stored at the moment, or ends; null while it is stored.',
      ({ archive }: Archived) => archive?.endReason ?? archive?.message ?? null,
    ),
    appEnvId: field.column('appEnvId', text, 'Id of the environment that the backup is of.'),
    cliEnvName: field.column('cliEnvName', text, 'CLI name of the environment that the backup is of.'),
    operationId: field.column('operationId', text, 'Id of the operation that took the backup.'),
    finishedAt: field.column('finishedAt', time.nullable(), 'Time at which the backup was whole, or had failed.'),
  },
  graphqlFields: { version: field.column('version', whole, VERSION) },
})

interface BackupOutcome {
  backupKey: string
  downloadUrl: string
  expiresAt: string
}

const outcome = fieldsOf<BackupOutcome>()

/** Of calls about a backup. */
export const ofBackup = {
  success: accepted.success,
  message: accepted.message,
  backupKey: outcome.given('backupKey', text, 'Key of the backup.', { inGraphQL: { type: 'ID' } }),
  appEnv: accepted.appEnv,
}

export const backupCallAnswer = answer(ofBackup, { id: 'BackupCall', description: 'An accepted call about a backup.' })

export const backupDownloadAnswer = answer(
  {
    downloadUrl: outcome.given(
      'downloadUrl',
      text,
      'Address that the content of the backup can be read from, decrypted, until it expires. It needs no other authorization.',
    ),
    expiresAt: outcome.given('expiresAt', time, 'Time at which the address expires.'),
  },
  { id: 'BackupDownload', description: 'An address to read a backup from.' },
)
