import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { freePort } from '../support/free-ports.ts'
import { hasTerminals, Terminal } from '../support/terminal.ts'
import { spawnBerth, startBerth } from './berth-process.ts'

let database: TestDatabase
let dataDir: string
let settings: Record<string, string>

beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'berth-log-'))
  settings = {
    PORT: `${await freePort()}`,
    INGRESS_PORT: `${await freePort()}`,
    BERTH_DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    DOCKER_HOST: 'unix:///nonexistent',
    BERTH_HOST_FIREWALL: 'off',
    BERTH_COLOUR: 'blue',
  }
})

afterAll(async () => {
  await database.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

const adminToken = () => readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()

test.skipIf(!hasTerminals)('on a terminal the log is for people: who says what, in a line', async () => {
  await using terminal = new Terminal(`${process.execPath} scripts/supervise.mjs`, {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...settings, NO_COLOR: '1' },
  })
  await terminal.until('Berth is ready')
  // Of a new installation, once.
  await terminal.until(adminToken())
  await fetch(`http://127.0.0.1:${settings.PORT}/api/public/v1/app`, { method: 'POST' })
  await terminal.until(/\d\d:\d\d:\d\d {2}api,worker {2}POST \/api\/public\/v1\/app 401 \(\S+ ms\) {2}requestId=\S+/)
  await terminal.until(/api,worker {2}warn {2}Not settings of Berth.* ignored=\["BERTH_COLOUR"\]/)
  await terminal.until(/api,worker {2}warn {2}The container engine does not answer; .* reason="/)
  terminal.type('\x03')
  expect(await terminal.ended()).toBe(0)
  expect(terminal.said).not.toMatch(/\{"|\n {4}at /)
})

test('in a pipe the log is JSON, and says who says it as well', async () => {
  const berth = await startBerth(settings, { isSupervised: true })
  await expect.poll(() => berth.said()).toContain('does not answer')
  await berth.end('SIGTERM')
  expect(berth.said()).toContain(`Token      cat ${dataDir}/admin-token`)
  expect(berth.said()).not.toContain(adminToken())
  const lines = berth
    .said()
    .split('\n')
    .filter((line) => line.startsWith('{'))
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: 40, name: 'api,worker', ignored: ['BERTH_COLOUR'] }),
  )
})

test('a misspelt setting ends the start and is named, with the one that is meant', async () => {
  const berth = spawnBerth({ ...settings, BERTH_LOG_LEVLE: 'debug' }, { isSupervised: true })
  expect(await berth.ended).toBe(1)
  expect(berth.said()).toBe(
    'Berth cannot start with this configuration:\n  BERTH_LOG_LEVLE: is not a setting; did you mean BERTH_LOG_LEVEL?\n',
  )
})
