import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Failpoint } from '../../src/fault-injection/failpoint.ts'
import { Orders } from '../crash/harness/orders.ts'
import type { BerthProcess } from '../crash/harness/process.ts'
import { repetitions } from '../support/repetitions.ts'
import { startS3 } from '../support/s3-server.ts'
import { BY_PROGRAM, eventually } from '../worker/fixtures.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { createService, inService, type Service } from './service-world.ts'
import { startWorker } from './worker-process.ts'

const TIMEOUT_MS = 300_000
const wait = { prefer: 'wait=200' }
/** Half a day from now: a backup of the schedule would be in the way of what the tests begin. */
let schedule: object = { cron: `0 ${(new Date().getUTCHours() + 12) % 24} * * *`, pointInTime: true }

/** Where the worker is killed. */
const POINTS = repetitions<Failpoint[]>(['log.stored'], ['log.begun', 'log.stored', 'log.recorded'])
const KILLED = POINTS.map((_, at) => 10 + at).join(' ')

interface BackupRow {
  key: string
  kind: string
  status: string
  message: string | null
  verified: boolean
  pointInTimeFrom: string | null
  pointInTimeTo: string | null
  pointInTimeMessage: string | null
}

let berth: TestPlatform
let worker: BerthProcess
let orders: Orders
let service: Service | null = null
/** Backups and log are there, or else in the data folder. */
let s3: Awaited<ReturnType<typeof startS3>> | null = null

beforeAll(async () => {
  berth = await startTestPlatform({ BERTH_ROLES: 'api' })
  if (repetitions(false, true)) s3 = await startS3()
  orders = new Orders(await mkdtemp(join(berth.dataDir, 'orders-')))
  worker = await startWorker(berth, {
    BERTH_READY_TIMEOUT_SECONDS: '90',
    BERTH_LOG_ARCHIVE_SECONDS: '1',
    BERTH_FAULT_INJECTION: orders.folder,
    BERTH_BACKUP_PRIVATE_HOSTS: 'true',
  })
  service = await createService(berth, 'POSTGRESQL')
  if (s3 && service) schedule = { ...schedule, storage: await storageOf(service.accountId, s3.login) }
}, TIMEOUT_MS)

afterAll(async () => {
  await worker?.stop()
  await berth?.stop()
  await s3?.[Symbol.asyncDispose]()
})

async function storageOf(accountId: string, data: object): Promise<string> {
  const credential = { accountId, type: 'OBJECT_STORAGE', name: 'log', data }
  return (await berth.ok<{ credentialId: string }>('POST', '/credential', credential)).credentialId
}

const there = () => {
  if (!service) throw new Error('The service was not created')
  return service.appEnvId
}
const sql = async (text: string, appEnvId = there()) =>
  (
    await inService(
      berth,
      appEnvId,
      ['psql', '-qAt', '--username=berth', '--dbname=berth', '-v', 'ON_ERROR_STOP=1'],
      text,
    )
  ).trim()
const restore = (body: object, appEnvId = there()) =>
  berth.ok<{ success: boolean; message: string }>('POST', '/app-env/backup-restore', { appEnvId, ...body }, wait)
const list = async () =>
  (await berth.ok<{ backups: BackupRow[] }>('GET', `/app-env/backups?appEnvId=${there()}`)).backups
const numbers = (appEnvId = there()) =>
  sql("SELECT string_agg(number::text, ' ' ORDER BY number) FROM thing;", appEnvId)

/** A moment of the engine's clock after everything that was committed, and before everything that will be. */
const moment = () =>
  sql(
    `SELECT to_char(now() AT TIME ZONE 'UTC' + interval '2 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'); SELECT pg_sleep(0.01);`,
  )

const newestBase = (isIt: (row: BackupRow) => boolean = () => true): Promise<BackupRow> =>
  eventually(
    async () => (await list()).find((row) => row.pointInTimeFrom !== null && row.status === 'AVAILABLE' && isIt(row)),
    (row) => row !== undefined,
  ) as Promise<BackupRow>

/** No operation is open: the newest base was verified by itself. */
const quiet = () => newestBase((row) => row.verified)

const reached = (key: string, at: string) =>
  newestBase((row) => row.key === key && row.pointInTimeTo !== null && row.pointInTimeTo >= at)

describe('PostgreSQL with point in time', () => {
  let key = ''
  let between = ''

  test('has no gap when workers are killed while they store the log', { timeout: TIMEOUT_MS }, async () => {
    await sql('CREATE TABLE thing (number int);')
    await berth.ok('PUT', '/app-env', { appEnvId: there(), backupSchedule: schedule })
    ;({ key } = await quiet())
    for (const [at, point] of POINTS.entries()) {
      orders.arm({ point, subject: there(), pass: 1 }, 'SIGKILL', point)
      await sql(`INSERT INTO thing VALUES (${10 + at});`)
      await eventually(
        async () => orders.isFired,
        (isFired) => isFired,
      )
      await reached(key, await moment())
    }
    const pieces = await berth.database.walPiece.findMany({
      where: { status: 'AVAILABLE' },
      orderBy: { number: 'asc' },
    })
    if (s3) expect((await s3.keys()).length).toBeGreaterThan(pieces.length)
    expect(pieces.map(({ number }) => number - (pieces[0]?.number ?? 0))).toEqual([...pieces.keys()])
  })

  test('is restored to a moment between two writes', { timeout: TIMEOUT_MS }, async () => {
    await sql('INSERT INTO thing VALUES (1);')
    between = await moment()
    await sql('INSERT INTO thing VALUES (2);')
    const after = await moment()
    await reached(key, after)
    const restored = await restore({ backupKey: key, pointInTime: between })
    expect(restored, restored.message).toMatchObject({ success: true })
    expect(await numbers()).toBe(`1 ${KILLED}`)
    // It takes writes, on a timeline of its own, with the password that the environment has.
    await sql('INSERT INTO thing VALUES (3);')
    expect(await numbers()).toBe(`1 3 ${KILLED}`)
  })

  // As backups are (backups.test.ts).
  test.each(repetitions([], ['POSTGRESQL']))(
    'is restored to a moment without writes, into another %s',
    async (preset) => {
      const other = await createService(berth, preset)
      const row = (await list()).find((one) => one.key === key)
      const latest = { backupKey: key, backupFirst: false, pointInTime: row?.pointInTimeTo }
      const restored = await restore(latest, other?.appEnvId)
      expect(restored, restored.message).toMatchObject({ success: true })
      expect(await numbers(other?.appEnvId)).toBe(`1 2 ${KILLED}`)
      await berth.ok('DELETE', '/app-env', { appEnvId: other?.appEnvId })
    },
  )

  test('refuses moments outside of the range, and names it', { timeout: TIMEOUT_MS }, async () => {
    await newestBase((row) => row.key !== key && row.verified)
    const row = (await list()).find((one) => one.key === key)
    for (const pointInTime of ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z']) {
      const body = { appEnvId: there(), backupKey: key, pointInTime }
      const response = await berth.rest('POST', '/app-env/backup-restore', body)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain(`must be from ${row?.pointInTimeFrom} to ${row?.pointInTimeTo}`)
    }
  })

  test('begins a new log after a restore, and shows where the old one ends', { timeout: TIMEOUT_MS }, async () => {
    const second = await newestBase((row) => row.key !== key && row.verified)
    const old = (await list()).find((row) => row.key === key)
    expect(old?.pointInTimeMessage).toBe('Another log took its place')
    expect(Date.parse(old?.pointInTimeTo ?? '')).toBeLessThan(Date.parse(second.pointInTimeFrom ?? ''))
    expect(second.pointInTimeMessage).toBeNull()
  })

  test('shows a gap, ends the range there, and begins anew', { timeout: TIMEOUT_MS }, async () => {
    const [before] = await list()
    const slots = await sql('SELECT slot_name FROM pg_replication_slots;')
    await sql(`SELECT pg_drop_replication_slot('${slots}');`)
    const next = await newestBase((row) => row.key !== before?.key && row.key !== key && row.verified)
    const ended = (await list()).find((row) => row.key === before?.key)
    expect(ended?.pointInTimeMessage).toContain('no longer had a part of its log')
    expect(Date.parse(ended?.pointInTimeTo ?? '')).toBeLessThan(Date.parse(next.pointInTimeFrom ?? ''))
  })

  test('lets go of the log when it is turned off', { timeout: TIMEOUT_MS }, async () => {
    await berth.ok('PUT', '/app-env', { appEnvId: there(), backupSchedule: { ...schedule, pointInTime: false } })
    await eventually(
      () => sql('SELECT count(*) FROM pg_replication_slots;'),
      (count) => count === '0',
      90,
      BY_PROGRAM,
    )
    for (const { key } of await list()) await berth.ok('DELETE', '/app-env/backup', { backupKey: key })
    await eventually(
      () => berth.database.walPiece.count(),
      (pieces) => pieces === 0,
    )
    if (s3) expect(await s3.keys()).toEqual([])
  })
})

test('engines without it refuse it', async () => {
  // The API answers alone: nothing is deployed.
  await worker.stop()
  const { accountId } = service ?? {}
  const app = { name: 'Without', accountId, dockerPreset: 'REDIS' }
  const { appId } = await berth.ok<{ appId: string }>('POST', '/app', app)
  const appEnv = { accountId, appId, name: 'production', region: 'local' }
  const { appEnvId } = await berth.ok<{ appEnvId: string }>('POST', '/app-env', appEnv)
  const response = await berth.rest('PUT', '/app-env', { appEnvId, backupSchedule: schedule })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('must be false for Redis; PostgreSQL has it')
})
