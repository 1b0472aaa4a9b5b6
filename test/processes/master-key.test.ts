import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type BerthProcess, spawnBerth, startBerth } from './berth-process.ts'

let database: TestDatabase
let dataDir: string
let settings: Record<string, string>
let running: BerthProcess[] = []
let saidFirst: string

beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'berth-key-'))
  settings = {
    PORT: '0',
    INGRESS_PORT: '0',
    BERTH_ROLES: 'api',
    BERTH_LOG_LEVEL: 'silent',
    BERTH_DATA_DIR: dataDir,
    DATABASE_URL: database.url,
  }
  const first = await startBerth(settings)
  await first.end('SIGTERM')
  saidFirst = first.said()
})

afterAll(async () => {
  await database.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

beforeEach(() => {
  running = []
})

afterEach(() => Promise.all(running.map((berth) => berth.end('SIGKILL'))))

async function refusal(more: Record<string, string> = {}): Promise<string> {
  const berth = spawnBerth({ ...settings, ...more })
  running.push(berth)
  expect(await berth.ended).toBe(1)
  return berth.said()
}

async function starts(more: Record<string, string> = {}): Promise<void> {
  const berth = await startBerth({ ...settings, ...more })
  running.push(berth)
}

const file = (name: string) => join(dataDir, name)

test('a new admin token is in no log: its file is named', () => {
  expect(saidFirst).toContain(`cat ${file('admin-token')}`)
  expect(saidFirst).not.toContain(readFileSync(file('admin-token'), 'utf8').trim())
})

test('a lost master key is asked for, and no other one is made in its place', async () => {
  renameSync(file('master-key'), file('away'))
  const said = await refusal()
  expect(said).toContain(`The master key`)
  expect(said).toContain(`${file('master-key')} is missing, and BERTH_MASTER_KEY is not set`)
  expect(said).toContain(`Restore ${file('master-key')} from your backup (mode 0600), or set BERTH_MASTER_KEY.`)
  expect(existsSync(file('master-key'))).toBe(false)
  writeFileSync(file('master-key'), '', { mode: 0o600 })
  expect(await refusal()).toContain('is empty, and BERTH_MASTER_KEY is not set')
  renameSync(file('away'), file('master-key'))
})

test('a master key that is damaged is named at once, with what is wrong', async () => {
  renameSync(file('master-key'), file('away'))
  const holds = (content: string) => writeFileSync(file('master-key'), content, { mode: 0o600 })
  holds('not hexadecimal')
  expect(await refusal()).toContain(`${file('master-key')} must hold 64 hexadecimal digits (32 bytes).`)
  holds('\0'.repeat(65))
  expect(await refusal()).toContain(`${file('master-key')} is damaged: it holds zero bytes. Restore it`)
  rmSync(file('master-key'))
  mkdirSync(file('master-key'))
  expect(await refusal()).toContain(`${file('master-key')} cannot be read: it is a folder.`)
  rmSync(file('master-key'), { recursive: true })
  renameSync(file('away'), file('master-key'))
})

test('an admin token that is empty is named at once; deleted, another one is made', async () => {
  const former = readFileSync(file('admin-token'), 'utf8')
  writeFileSync(file('admin-token'), '', { mode: 0o600 })
  expect(await refusal()).toContain(
    `${file('admin-token')} is empty. Berth does not start. Restore it from your backup,`,
  )
  rmSync(file('admin-token'))
  await starts()
  expect(readFileSync(file('admin-token'), 'utf8')).not.toBe(former)
})

test.each(['master-key', 'admin-token'])('the file %s must not be readable by others', async (name) => {
  for (const mode of [0o640, 0o604, 0o622]) {
    chmodSync(file(name), mode)
    expect(await refusal()).toContain(`Run: chmod 600 ${file(name)}`)
  }
  chmodSync(file(name), 0o600)
})

test('a process that is only an ingress makes no secret, and reads none', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'berth-ingress-'))
  await starts({ BERTH_ROLES: 'ingress', BERTH_DATA_DIR: elsewhere })
  expect(existsSync(join(elsewhere, 'master-key'))).toBe(false)
  expect(existsSync(join(elsewhere, 'admin-token'))).toBe(false)
  rmSync(elsewhere, { recursive: true, force: true })
})

test('a key may be mounted as a file that all can read, and none can write', async () => {
  const mounted = file('mounted')
  writeFileSync(mounted, readFileSync(file('master-key')), { mode: 0o644 })
  chmodSync(mounted, 0o664)
  expect(await refusal({ BERTH_MASTER_KEY_FILE: mounted })).toContain(`chmod go-w ${mounted}`)
  chmodSync(mounted, 0o444)
  expect(await refusal({ BERTH_MASTER_KEY_FILE: mounted, BERTH_MASTER_KEY: '5e'.repeat(32) })).toContain(
    'BERTH_MASTER_KEY_FILE: must not be set together with BERTH_MASTER_KEY',
  )
  await starts({ BERTH_MASTER_KEY_FILE: mounted })
})
