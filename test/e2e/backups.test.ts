import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BY_PROGRAM, eventually } from '../worker/fixtures.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { createService, inService, type Service } from './service-world.ts'

const ROWS = 10_000
const TIMEOUT_MS = 240_000
const wait = { prefer: 'wait=120' }

interface BackupRow {
  key: string
  file: string
  size: number
  status: string
  kind: string
  verified: boolean
  verifyMessage: string | null
  sha256: string
}

interface Accepted {
  success: boolean
  message: string
  backupKey: string
  operationId: string
  appEnv: { status: string }
}

let berth: TestPlatform
let service: Service | null = null

beforeAll(async () => {
  // Each reconcile asks the server by a program in its container.
  berth = await startTestPlatform({ BERTH_READY_TIMEOUT_SECONDS: '60', BERTH_RECONCILE_SECONDS: '5' })
  service = await createService(berth, 'POSTGRESQL')
}, TIMEOUT_MS)

afterAll(() => berth?.stop())

const there = () => {
  if (!service) throw new Error('The service was not created')
  return service.appEnvId
}
const post = (path: string, body: object = {}, appEnvId = there()) =>
  berth.ok<Accepted>('POST', `/app-env/${path}`, { appEnvId, ...body }, wait)
const list = async (appEnvId = there()) =>
  (await berth.ok<{ backups: BackupRow[] }>('GET', `/app-env/backups?appEnvId=${appEnvId}`)).backups
const sql = (text: string, appEnvId = there()) =>
  inService(berth, appEnvId, ['psql', '-qAt', '--username=berth', '--dbname=berth', '-v', 'ON_ERROR_STOP=1'], text)
const summary = async (appEnvId = there()) =>
  (await sql('SELECT count(*), coalesce(sum(number), 0) FROM thing;', appEnvId)).trim()
const folder = () => join(berth.dataDir, 'backups')
const whole = `${ROWS}|${(ROWS * (ROWS + 1)) / 2}`

describe('backups of PostgreSQL', () => {
  let key = ''

  test('bring 10,000 rows back, with the same credentials', { timeout: TIMEOUT_MS }, async () => {
    await sql(
      `CREATE TABLE thing (number int, words text); INSERT INTO thing SELECT n, 'canary-of-row-' || n FROM generate_series(1, ${ROWS}) n;`,
    )
    const taken = await post('backup')
    expect(taken).toMatchObject({ success: true, appEnv: { status: 'RUNNING' } })
    key = taken.backupKey
    const [backup] = await list()
    expect(backup).toMatchObject({ key, status: 'AVAILABLE', kind: 'MANUAL', verified: false })
    const stored = await readFile(join(folder(), backup?.file ?? ''))
    expect(stored.length).toBe(backup?.size)
    expect(createHash('sha256').update(stored).digest('hex')).toBe(backup?.sha256)
    await sql('DELETE FROM thing WHERE number % 2 = 0; UPDATE thing SET number = 0;')
    expect(await summary()).toBe(`${ROWS / 2}|0`)
    const restored = await post('backup-restore', { backupKey: key })
    expect(restored, restored.message).toMatchObject({ success: true, backupKey: key, appEnv: { status: 'RUNNING' } })
    expect(await summary()).toBe(whole)
    const kinds = (await list()).map(({ kind, status }) => `${kind} ${status}`)
    expect(kinds).toEqual(['BEFORE_RESTORE AVAILABLE', 'MANUAL AVAILABLE'])
  })

  test('hold neither rows nor passwords as they are stored', async () => {
    const row = await berth.database.appEnv.findUniqueOrThrow({ where: { id: there() } })
    const credentials = await berth.ok<{ password: string }>('GET', `/app-env/credentials?appEnvId=${row.id}`)
    for (const name of await readdir(folder())) {
      const stored = await readFile(join(folder(), name))
      expect(stored.includes('canary-of-row')).toBe(false)
      expect(stored.includes(credentials.password)).toBe(false)
    }
  })

  test('leave one volume when they are restored', async () => {
    await eventually(
      () => berth.database.volume.count(),
      (volumes) => volumes === 1,
    )
  })

  test('keep what was there before a restore, and are restored into a new service', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const before = (await list()).find(({ kind }) => kind === 'BEFORE_RESTORE')
    const other = await createService(berth, 'POSTGRESQL')
    const restored = await post('backup-restore', { backupKey: before?.key, backupFirst: false }, other?.appEnvId)
    expect(restored, restored.message).toMatchObject({ success: true })
    expect(await summary(other?.appEnvId)).toBe(`${ROWS / 2}|0`)
    await berth.ok('DELETE', '/app-env', { appEnvId: other?.appEnvId })
  })

  test('are read by an address that expires', async () => {
    const { downloadUrl } = await berth.ok<{ downloadUrl: string }>('POST', '/app-env/backup-download', {
      backupKey: key,
    })
    const response = await fetch(downloadUrl)
    expect(response.status).toBe(200)
    const content = Buffer.from(await response.arrayBuffer())
    expect(content.subarray(0, 5).toString()).toBe('PGDMP')
    expect(content.includes('canary-of-row-9999')).toBe(true)
    const other = new URL(downloadUrl)
    other.searchParams.set('expires', String(Number(other.searchParams.get('expires')) + 1))
    expect((await fetch(other)).status).toBe(404)
  })

  test('are verified in a throw-away container, of which nothing is left', { timeout: TIMEOUT_MS }, async () => {
    const verified = await post('backup-verify', { backupKey: key })
    expect(verified, verified.message).toMatchObject({ success: true, appEnv: { status: 'RUNNING' } })
    expect((await list()).find((one) => one.key === key)).toMatchObject({ verified: true, verifyMessage: null })
    await eventually(
      () => berth.docker.listContainers({ all: true, filters: { label: [`berth.env=${there()}`] } }),
      (containers) => containers.length === 1,
    )
    await eventually(
      () => berth.database.volume.count({ where: { operationId: { not: null } } }),
      (volumes) => volumes === 0,
    )
  })

  test('whose file was changed are not verified, nor restored, and say why', { timeout: TIMEOUT_MS }, async () => {
    const row = (await list()).find((one) => one.key === key)
    const path = join(folder(), row?.file ?? '')
    const stored = await readFile(path)
    const changed = Buffer.from(stored)
    const middle = Math.floor(stored.length / 2)
    changed[middle] = (changed[middle] ?? 0) ^ 1
    await writeFile(path, changed)
    const failed = await post('backup-verify', { backupKey: key })
    expect(failed).toMatchObject({ success: false, message: expect.stringContaining('The backup is damaged: chunk') })
    expect((await list()).find((one) => one.key === key)).toMatchObject({
      verified: false,
      verifyMessage: expect.stringContaining('was changed, moved or cut off'),
    })
    const before = await summary()
    const restored = await post('backup-restore', { backupKey: key })
    expect(restored).toMatchObject({ success: false, message: expect.stringContaining('damaged') })
    // What was there serves again.
    await eventually(
      () => summary().catch(() => ''),
      (found) => found === before,
      90,
      BY_PROGRAM,
    )
    await writeFile(path, stored)
  })

  test('are deleted with their file', async () => {
    const row = (await list()).find((one) => one.key === key)
    await berth.ok('DELETE', '/app-env/backup', { backupKey: key })
    expect((await list()).some((one) => one.key === key)).toBe(false)
    await eventually(
      async () => (await readdir(folder())).includes(row?.file ?? ''),
      (isThere) => !isThere,
    )
  })
})
