import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnyCommand } from '../../src/calls/command.ts'
import { DomainError } from '../../src/domain/errors.ts'
import { newId } from '../../src/domain/ids.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { downloadBackup } from '../../src/services/backup/download-backup.ts'
import { createCredential } from '../../src/services/credential/credential-commands.ts'
import { deleteCredential } from '../../src/services/credential/delete-credential.ts'
import { backUpAppEnv } from '../../src/services/lifecycle/back-up.ts'
import { beginDueBackups } from '../../src/services/lifecycle/due-backups.ts'
import { restoreBackup } from '../../src/services/lifecycle/restore-backup.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { verifyBackup } from '../../src/services/lifecycle/verify-backup.ts'
import { resealAccount } from '../../src/services/master-key/reseal-account.ts'
import { nextTime } from '../../src/services/schedule/cron-times.ts'
import type { Prisma } from '../../src/storage/database/generated/prisma/client.ts'
import { newKey } from '../../src/storage/secrets/keys.ts'
import { createVault } from '../../src/storage/secrets/vault.ts'
import { createWorld, type World } from '../support/world.ts'

const MB = 1024 * 1024
let world: World

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_BACKUP_BUDGET_MB: '10' } })
})
afterAll(() => world.close())

let services = 0

async function service(dockerPreset = 'POSTGRESQL', version?: string, accountId = world.accountId): Promise<string> {
  services += 1
  const { appId } = await world.perform(createApp, { name: `Db ${services}`, accountId, dockerPreset })
  const { appEnvId, operationId } = await world.perform(createAppEnv, {
    accountId,
    appId,
    name: 'production',
    region: 'local',
    ...(version ? { dockerPresetVersion: version } : {}),
  })
  await world.endOperation(operationId)
  return String(appEnvId)
}

async function backupOf(appEnvId: string, more: Partial<Prisma.BackupUncheckedCreateInput> = {}): Promise<string> {
  const { accountId, cliEnvName, presetVersion } = await world.database.appEnv.findUniqueOrThrow({
    where: { id: appEnvId },
  })
  const id = newId('bak')
  const about = { id, accountId, appEnvId, cliEnvName, presetVersion: presetVersion ?? '', operationId: newId('op') }
  await world.database.backup.create({
    data: { ...about, kind: 'MANUAL', status: 'AVAILABLE', file: `${id}.1`, sizeBytes: 1000n, ...more },
  })
  return id
}

const refusal = async (command: AnyCommand, input: object): Promise<string> => {
  const error = await world.perform(command, input).then(
    () => null,
    (error: unknown) => error,
  )
  if (error instanceof DomainError) return `${error.reason}: ${error.message}`
  throw error ?? new Error('The call was accepted')
}

describe('a backup', () => {
  test('is refused beside another operation, of a stopped service, and of what is no service', async () => {
    const appEnvId = await service()
    const { operationId, backupKey } = await world.perform(backUpAppEnv, { appEnvId })
    expect(backupKey).toMatch(/^bak_/)
    expect(await refusal(backUpAppEnv, { appEnvId })).toContain('OPERATION_IN_PROGRESS')
    await world.endOperation(operationId)
    await world.endOperation((await world.perform(stopAppEnv, { appEnvId })).operationId)
    expect(await refusal(backUpAppEnv, { appEnvId })).toContain('ENVIRONMENT_STOPPED')
    const { appEnvId: web } = await world.appEnv()
    expect(await refusal(backUpAppEnv, { appEnvId: web })).toContain('NOT_A_SERVICE')
  })

  test('is refused, with the limit named, once the account has used up its budget', async () => {
    const appEnvId = await service()
    const key = await backupOf(appEnvId, { sizeBytes: BigInt(10 * MB) })
    expect(await refusal(backUpAppEnv, { appEnvId })).toMatch(
      /BACKUP_BUDGET: .*10 MB of backups \(BERTH_BACKUP_BUDGET_MB\)/,
    )
    await world.database.backup.delete({ where: { id: key } })
  })

  test('goes to object storage only by a credential of it, which stays while backups need it', async () => {
    const appEnvId = await service()
    const { accountId } = world
    const login = { username: 'u', password: 'p' }
    const other = await world.perform(createCredential, { accountId, type: 'BASIC_AUTH', name: 'other', data: login })
    expect(await refusal(backUpAppEnv, { appEnvId, storage: other.credentialId })).toContain(
      'OBJECT_STORAGE credential',
    )
    const data = { accessKeyId: 'a', secretAccessKey: 's' }
    const bare = await world.perform(createCredential, { accountId, type: 'OBJECT_STORAGE', name: 'bare', data })
    expect(await refusal(backUpAppEnv, { appEnvId, storage: bare.credentialId })).toContain('names no bucket')
    const whole = { ...data, bucket: 'backups', endpoint: 'https://s3.example.com' }
    const { credentialId } = await world.perform(createCredential, {
      accountId,
      type: 'OBJECT_STORAGE',
      name: 'whole',
      data: whole,
    })
    await world.perform(backUpAppEnv, { appEnvId, storage: credentialId })
    expect(await refusal(deleteCredential, { credentialId })).toContain('CREDENTIAL_IN_USE')
  })

  test('is restored only into the same engine, and the same version or a newer one', async () => {
    const [old, present] = [await service('POSTGRESQL', 'POSTGRESQL_17'), await service('POSTGRESQL', 'POSTGRESQL_18')]
    const backupKey = await backupOf(present)
    expect(await refusal(restoreBackup, { appEnvId: old, backupKey })).toContain('BACKUP_OF_NEWER_VERSION')
    expect(await refusal(verifyBackup, { appEnvId: old, backupKey })).toContain('BACKUP_OF_NEWER_VERSION')
    const redis = await service('REDIS')
    expect(await refusal(restoreBackup, { appEnvId: redis, backupKey })).toContain('BACKUP_OF_OTHER_ENGINE')
    const older = await backupOf(old)
    await world.perform(restoreBackup, { appEnvId: present, backupKey: older })
    const kinds = await world.database.backup.findMany({ where: { appEnvId: present, kind: 'BEFORE_RESTORE' } })
    expect(kinds).toHaveLength(1)
  })

  test('with point in time is restored within its range, into its own version, and never downloaded', async () => {
    const [appEnvId, older] = [await service(), await service('POSTGRESQL', 'POSTGRESQL_17')]
    const [from, until] = [new Date('2026-11-30T12:00:00Z'), new Date('2026-11-30T13:00:00Z')]
    const archive = { id: newId('arc'), accountId: world.accountId, appEnvId, volumeId: newId('vol') }
    await world.database.walArchive.create({ data: { ...archive, presetVersion: 'POSTGRESQL_18', until } })
    const backupKey = await backupOf(appEnvId, { isBase: true, archiveId: archive.id, restorableFrom: from })
    for (const pointInTime of ['2026-11-30T11:59:59.999Z', '2026-11-30T13:00:00.001Z'])
      expect(await refusal(restoreBackup, { appEnvId, backupKey, pointInTime })).toContain(
        'pointInTime: must be from 2026-11-30T12:00:00.000Z to 2026-11-30T13:00:00.000Z for this backup',
      )
    const dump = { appEnvId, backupKey: await backupOf(appEnvId), pointInTime: until.toISOString() }
    expect(await refusal(restoreBackup, dump)).toContain('this one holds one moment only')
    expect(await refusal(downloadBackup, { backupKey })).toContain('BACKUP_IS_BASE')
    const newer = await backupOf(older, { isBase: true, archiveId: archive.id, restorableFrom: from })
    expect(await refusal(restoreBackup, { appEnvId, backupKey: newer })).toContain('BACKUP_OF_OTHER_VERSION')
    const { operationId } = await world.perform(restoreBackup, {
      appEnvId,
      backupKey,
      pointInTime: '2026-11-30T15:00:00+02:00',
    })
    const operation = await world.database.operation.findUniqueOrThrow({ where: { id: String(operationId) } })
    expect(operation.pointInTime).toEqual(until)
  })

  test('with point in time is begun once for a log that has none', async () => {
    const appEnvId = await service()
    const pointInTime = { cron: '0 3 * * *', pointInTime: true }
    expect(await refusal(updateAppEnv, { appEnvId: await service('REDIS'), backupSchedule: pointInTime })).toContain(
      'backupSchedule.pointInTime: must be false for Redis; PostgreSQL has it',
    )
    await world.perform(updateAppEnv, { appEnvId, backupSchedule: pointInTime })
    await world.database.appEnv.update({ where: { id: appEnvId }, data: { health: 'HEALTHY' } })
    for (let turn = 0; turn < 3; turn += 1) await beginDueBackups(world)
    const begun = await world.database.backup.findMany({ where: { appEnvId } })
    expect(begun).toMatchObject([{ kind: 'SCHEDULED', isBase: true, status: 'CREATING' }])
  })

  test('of another account does not exist', async () => {
    const accountId = await world.account()
    const backupKey = await backupOf(await service('POSTGRESQL', undefined, accountId))
    expect(await refusal(restoreBackup, { appEnvId: await service(), backupKey })).toContain('There is no backup')
  })

  test('is downloaded by admins only, and not before it is whole', async () => {
    const backupKey = await backupOf(await service(), { status: 'CREATING' })
    expect(await refusal(downloadBackup, { backupKey })).toContain('BACKUP_NOT_AVAILABLE')
    const { token } = await world.user({ roles: ['TECHNICAL'] })
    const asMember = world.perform(downloadBackup, { backupKey }, { as: token })
    await expect(asMember).rejects.toMatchObject({ reason: 'ROLE_MISSING' })
  })

  test('still opens after a rotation of the master key', async () => {
    const [accountId, key] = [await world.account(), randomBytes(32)]
    const account = await world.database.account.findUniqueOrThrow({ where: { id: accountId } })
    const appEnvId = await service('POSTGRESQL', undefined, accountId)
    const id = await backupOf(appEnvId)
    const sealedKey = world.vault.forAccount(account).sealBackupKey(id, key)
    await world.database.backup.update({ where: { id }, data: { sealedKey } })
    const to = newKey()
    const next = createVault(to)
    await world.database.$transaction((tx) =>
      resealAccount(tx, { from: world.masterKey, to, old: world.vault, next }, accountId),
    )
    const after = await world.database.backup.findUniqueOrThrow({ where: { id }, include: { account: true } })
    expect(after.sealedKey).not.toBe(sealedKey)
    expect(
      next
        .forAccount(after.account)
        .openBackupKey(id, after.sealedKey ?? '')
        .equals(key),
    ).toBe(true)
  })
})

describe('a schedule', () => {
  const schedule = { cron: '0 3 * * *', timeZone: 'Europe/Berlin', keepCount: 2, keepDays: 10, storage: 'LOCAL' }
  const set = (appEnvId: string, more: object) =>
    world.perform(updateAppEnv, { appEnvId, backupSchedule: { ...schedule, ...more } })
  const due = (appEnvId: string) =>
    world.database.appEnv.update({
      where: { id: appEnvId },
      data: { nextBackupAt: new Date(Date.now() - 5 * 86_400_000) },
    })
  const scheduled = (appEnvId: string) =>
    world.database.backup.findMany({ where: { appEnvId, kind: 'SCHEDULED' }, orderBy: { id: 'asc' } })

  test.each([
    [{ cron: 'often' }, 'backupSchedule.cron', 'five fields'],
    [{ cron: '* * * * *' }, 'backupSchedule.cron', 'at least an hour'],
    [{ cron: '0,30 3 * * *' }, 'backupSchedule.cron', 'at least an hour'],
    [{ cron: '0 0 30 2 *' }, 'backupSchedule.cron', 'five fields'],
    [{ timeZone: 'Mars/Base' }, 'backupSchedule.timeZone', 'Europe/Berlin'],
    [{ keepCount: 0 }, 'backupSchedule.keepCount', '1'],
    [{ keepCount: 1001 }, 'backupSchedule.keepCount', '1000'],
    [{ keepDays: 0 }, 'backupSchedule.keepDays', '1'],
    [{ keepDays: 3651 }, 'backupSchedule.keepDays', '3650'],
    [{ storage: 'cred_01h455vb4pex5vsknk084sn02q' }, 'backupSchedule.storage', 'names no credential'],
    [{ colour: 'red' }, 'backupSchedule.colour', ''],
  ])('with %o is refused, and %s named', async (more, field, words) => {
    const said = await refusal(updateAppEnv, { appEnvId: await service(), backupSchedule: { ...schedule, ...more } })
    expect(said).toContain(field)
    expect(said).toContain(words)
  })

  test.each([
    [{ keepCount: 1 }],
    [{ keepCount: 1000 }],
    [{ keepDays: 1 }],
    [{ keepDays: 3650 }],
    [{ cron: '0 * * * *' }],
  ])('with %o is accepted', async (more) => {
    const appEnvId = await service()
    await set(appEnvId, more)
    const { nextBackupAt } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
    expect(nextBackupAt?.getTime()).toBeGreaterThan(Date.now())
    await world.perform(updateAppEnv, { appEnvId, backupSchedule: null })
    expect(await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })).toMatchObject({
      backupSchedule: null,
      nextBackupAt: null,
    })
  })

  test('follows its time zone through a change of the clock', () => {
    expect(nextTime(schedule, new Date('2026-03-28T12:00:00Z'))?.toISOString()).toBe('2026-03-29T01:00:00.000Z')
    expect(nextTime(schedule, new Date('2026-03-27T12:00:00Z'))?.toISOString()).toBe('2026-03-28T02:00:00.000Z')
  })

  test('begins one backup for all times that passed, however many workers look', async () => {
    const appEnvId = await service()
    await set(appEnvId, {})
    await due(appEnvId)
    await Promise.all(Array.from({ length: 8 }, () => beginDueBackups(world)))
    expect(await scheduled(appEnvId)).toHaveLength(1)
    const { nextBackupAt } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
    expect(nextBackupAt?.getTime()).toBeGreaterThan(Date.now())
  })

  test('waits for an operation, and leaves out a stopped service', async () => {
    const appEnvId = await service()
    await set(appEnvId, {})
    await due(appEnvId)
    const { operationId } = await world.perform(stopAppEnv, { appEnvId })
    await beginDueBackups(world)
    expect(await scheduled(appEnvId)).toHaveLength(0)
    const waiting = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
    expect(waiting.nextBackupAt?.getTime()).toBeLessThan(Date.now())
    await world.endOperation(operationId)
    await beginDueBackups(world)
    expect(await scheduled(appEnvId)).toHaveLength(0)
  })

  test('has its newest backup verified', async () => {
    const appEnvId = await service()
    await set(appEnvId, {})
    await backupOf(appEnvId, { kind: 'SCHEDULED' })
    const newest = await backupOf(appEnvId, { kind: 'SCHEDULED' })
    await beginDueBackups(world)
    await beginDueBackups(world)
    const verifications = (await world.operationsOf(appEnvId)).filter(({ kind }) => kind === 'VERIFY_BACKUP')
    expect(verifications.map(({ backupId }) => backupId)).toEqual([newest])
  })

  test('records why a backup could not be taken', async () => {
    const appEnvId = await service()
    await set(appEnvId, {})
    await due(appEnvId)
    const key = await backupOf(appEnvId, { sizeBytes: BigInt(10 * MB) })
    await beginDueBackups(world)
    expect(await scheduled(appEnvId)).toMatchObject([
      { status: 'FAILED', message: expect.stringContaining('BERTH_BACKUP_BUDGET_MB') },
    ])
    await world.database.backup.delete({ where: { id: key } })
  })
})
