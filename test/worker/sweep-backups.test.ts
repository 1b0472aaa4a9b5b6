import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/domain/ids.ts'
import type { Prisma } from '../../src/storage/database/generated/prisma/client.ts'
import type { WorkerContext } from '../../src/worker/context/worker-context.ts'
import { sweepBackups, sweepWalArchives } from '../../src/worker/housekeeping/sweep-backups.ts'
import { createWorld, type World } from '../support/world.ts'

const DAY_MS = 86_400_000
let world: World
let folder: string
let appEnvId: string
const { signal } = new AbortController()

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-sweep-'))
  world = await createWorld({ settings: { BERTH_DATA_DIR: dataDir } })
  folder = join(dataDir, 'backups')
  await mkdir(folder)
  ;({ appEnvId } = await world.appEnv())
})

afterAll(async () => {
  await world.close()
  await rm(join(folder, '..'), { recursive: true })
})

async function sweep(): Promise<void> {
  const context = world as unknown as WorkerContext
  await sweepBackups(context, signal)
  await sweepWalArchives(context, signal)
}

async function backup(more: Partial<Prisma.BackupUncheckedCreateInput>, files: string[] = []): Promise<string> {
  const id = newId('bak')
  const about = { id, accountId: world.accountId, appEnvId, cliEnvName: 'a-b-c', presetVersion: 'POSTGRESQL_18' }
  await world.database.backup.create({
    data: { ...about, kind: 'MANUAL', operationId: newId('op'), file: `${id}.2`, ...more },
  })
  for (const file of files) await writeFile(join(folder, `${id}.${file}`), 'x')
  return id
}

test('removes what attempts have left, and keeps the file of a whole backup', async () => {
  const whole = await backup({ status: 'AVAILABLE' }, ['1.part', '2', '1'])
  const failed = await backup({ status: 'FAILED' }, ['2.part'])
  const deleted = await backup({ status: 'DELETING' }, ['2'])
  await sweep()
  expect(await readdir(folder)).toEqual([`${whole}.2`])
  const rows = await world.database.backup.findMany({ orderBy: { id: 'asc' } })
  expect(rows.map(({ id, hasLeftovers }) => [id, hasLeftovers])).toEqual([
    [whole, false],
    [failed, false],
  ])
  expect(rows.some(({ id }) => id === deleted)).toBe(false)
})

test('ends backups whose operation has ended, and no other', async () => {
  const operation = async (status: 'QUEUED' | 'CANCELLED') => {
    const { appEnvId } = await world.appEnv()
    const about = {
      kind: 'BACKUP',
      previousStatus: 'RUNNING',
      maxAttempts: 1,
      deadlineAt: new Date(),
      requestId: 'r',
    } as const
    const { id } = await world.database.operation.create({
      data: {
        id: newId('op'),
        accountId: world.accountId,
        appEnvId,
        status,
        message: 'Cancelled on request',
        ...about,
      },
    })
    return id
  }
  const open = await backup({ operationId: await operation('QUEUED') }, ['2.part'])
  const ended = await backup({ operationId: await operation('CANCELLED') }, ['2.part'])
  await sweep()
  const status = async (id: string) => (await world.database.backup.findUniqueOrThrow({ where: { id } })).status
  expect(await status(open)).toBe('CREATING')
  expect(await status(ended)).toBe('FAILED')
  expect(await readdir(folder)).toContain(`${open}.2.part`)
  expect(await readdir(folder)).not.toContain(`${ended}.2.part`)
})

test('deletes scheduled backups by number and age, but never the newest verified one', async () => {
  await world.database.appEnv.update({
    where: { id: appEnvId },
    data: { backupSchedule: { cron: '0 3 * * *', timeZone: 'UTC', keepCount: 3, keepDays: 10, storage: 'LOCAL' } },
  })
  const kept = async (days: number, verified = false) => {
    const createdAt = new Date(Date.now() - days * DAY_MS)
    return backup({ kind: 'SCHEDULED', status: 'AVAILABLE', createdAt, verifiedAt: verified ? createdAt : null }, ['2'])
  }
  await kept(30, true)
  const verified = await kept(20, true)
  await kept(12)
  await kept(3)
  const [second, first] = [await kept(2), await kept(1)]
  const manual = await backup({ status: 'AVAILABLE', createdAt: new Date(0) }, ['2'])
  await world.database.appEnv.update({
    where: { id: appEnvId },
    data: { backupSchedule: { cron: '0 3 * * *', timeZone: 'UTC', keepCount: 2, keepDays: 10, storage: 'LOCAL' } },
  })
  await sweep()
  const left = await world.database.backup.findMany({ where: { appEnvId, kind: 'SCHEDULED' }, orderBy: { id: 'asc' } })
  expect(left.map(({ id }) => id)).toEqual([verified, second, first])
  expect(await readdir(folder)).toContain(`${manual}.2`)
})

test('deletes volumes that an operation restored into and did not attach', async () => {
  const volume = async (operationId: string | null) => {
    const id = newId('vol')
    const about = {
      accountId: world.accountId,
      appEnvId,
      cliEnvName: 'a-b-c',
      regionCode: 'local',
      path: '/data',
      diskMb: 1,
    }
    await world.database.volume.create({ data: { id, ...about, operationId } })
    return id
  }
  const [scratch, own] = [await volume(newId('op')), await volume(null)]
  await sweep()
  const rows = await world.database.volume.findMany({ where: { deletedAt: null } })
  expect(rows.map(({ id }) => id)).toEqual([own])
  expect(scratch).not.toBe(own)
})

test('removes files that no row knows, once they are old', async () => {
  const [young, old] = [newId('bak'), newId('bak')].map((id) => join(folder, `${id}.1`)) as [string, string]
  for (const file of [young, old]) await writeFile(file, 'x')
  await utimes(old, new Date(0), new Date(0))
  await sweep()
  const names = (await readdir(folder)).map((name) => join(folder, name))
  expect(names).toContain(young)
  expect(names).not.toContain(old)
})

test('removes pieces of a log before the oldest backup, and the log once nothing needs it', async () => {
  const log = { id: newId('arc'), accountId: world.accountId, appEnvId, volumeId: newId('vol') }
  await world.database.walArchive.create({ data: { ...log, presetVersion: 'POSTGRESQL_18', lastPiece: 4 } })
  const piece = async (number: number, status: 'AVAILABLE' | 'CREATING' = 'AVAILABLE') => {
    const id = newId('wal')
    await world.database.walPiece.create({ data: { id, archiveId: log.id, number, status, file: `${id}.1` } })
    await writeFile(join(folder, `${id}.1`), 'x')
    return `${id}.1`
  }
  await piece(1)
  await piece(2)
  const kept = [await piece(3), await piece(4), await piece(5, 'CREATING')]
  const base = { archiveId: log.id, isBase: true, status: 'AVAILABLE' } as const
  const [oldest] = [await backup({ ...base, firstPiece: 3 }), await backup({ ...base, firstPiece: 4 })]
  const pieces = async () => (await readdir(folder)).filter((name) => name.startsWith('wal_')).sort()
  await sweep()
  expect(await pieces()).toEqual(kept.sort())
  await world.database.backup.update({ where: { id: oldest }, data: { status: 'DELETING', hasLeftovers: true } })
  await sweep()
  expect(await pieces()).toHaveLength(2)
  await world.database.walArchive.update({ where: { id: log.id }, data: { endedAt: new Date(0), isKept: false } })
  await world.database.backup.updateMany({
    where: { archiveId: log.id },
    data: { status: 'DELETING', hasLeftovers: true },
  })
  await sweep()
  await sweep()
  expect(await pieces()).toEqual([])
  expect(await world.database.walArchive.count()).toBe(0)
})
