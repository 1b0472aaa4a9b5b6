import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { reachableAddresses } from '../../src/platform/reachable-addresses.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { freePort } from '../support/free-ports.ts'
import { type BerthProcess, spawnBerth, startBerth } from './berth-process.ts'

const NO_ENGINE = 'unix:///nonexistent'

interface Place {
  dataDir: string
  settings: Record<string, string>
}

let database: TestDatabase
/** Where one Berth runs that several tests look at, and the last of them ends. */
let known: Place
let first: BerthProcess
/** Of the test that runs. */
let settings: Record<string, string>
let running: BerthProcess[] = []
const places: Place[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  known = await newPlace()
  first = await startBerth(known.settings)
})

afterAll(async () => {
  await first?.end('SIGKILL')
  for (const { dataDir } of places) rmSync(dataDir, { recursive: true, force: true })
  await database.drop()
})

beforeEach(async () => {
  settings = (await newPlace()).settings
})

afterEach(async () => {
  await Promise.all(running.map((berth) => berth.end('SIGKILL')))
  running = []
})

async function newPlace(): Promise<Place> {
  const dataDir = mkdtempSync(join(tmpdir(), "berth-start's "))
  const [port, ingressPort] = [await freePort(), await freePort()]
  const settings = {
    PORT: `${port}`,
    INGRESS_PORT: `${ingressPort}`,
    BERTH_DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    DOCKER_HOST: NO_ENGINE,
    BERTH_LOG_LEVEL: 'silent',
    // One database, opened from a new data directory each time.
    BERTH_MASTER_KEY: '5e'.repeat(32),
  }
  const place = { dataDir, settings }
  places.push(place)
  return place
}

async function start(more: Record<string, string> = {}): Promise<BerthProcess> {
  const berth = await startBerth({ ...settings, ...more })
  running.push(berth)
  return berth
}

/** What a Berth says that cannot start. */
async function refusal(more: Record<string, string>): Promise<string> {
  const berth = spawnBerth({ ...settings, ...more })
  running.push(berth)
  expect(await berth.ended).toBe(1)
  return berth.said()
}

describe('the start', () => {
  test('needs no bundle: images run the source', async () => {
    const berth = await startBerth({ ...settings }, { isSource: true })
    running.push(berth)
    const answer = await fetch(`http://127.0.0.1:${settings.PORT}/livez`)
    expect(answer.status).toBe(200)
  })

  test('ends with a command that finds this very Berth', () => {
    const { PORT, INGRESS_PORT } = known.settings
    const quoted = `'${known.dataDir.replace("'", "'\\''")}'`
    const place = `PORT=${PORT} INGRESS_PORT=${INGRESS_PORT} BERTH_DATA_DIR=${quoted} DOCKER_HOST=${NO_ENGINE}`
    expect(first.said()).toContain(`\n  ${place} npm run demo\n`)
    expect(first.said()).toContain(`Engine     none answers at ${NO_ENGINE}`)
  })

  test.each(['api', 'ingress'])('of the role %s has nothing to say of an engine', async (role) => {
    const berth = await start({ BERTH_ROLES: role })
    expect(berth.said()).not.toMatch(/engine/i)
  })

  test('beside another on the same data directory and ports says where that one is', async () => {
    const { PORT } = known.settings
    const said = await refusal(known.settings)
    expect(said).toContain(`Berth already runs on this data directory (${known.dataDir}) and has port ${PORT}`)
    expect(said).toContain(`process ${first.child.pid} (api, worker, ingress): API http://127.0.0.1:${PORT}`)
    expect(said).toMatch(/kill \d+[\s\S]*BERTH_DATA_DIR, PORT and INGRESS_PORT/)
    const beside = await start({ ...known.settings, PORT: '0', INGRESS_PORT: '0' })
    expect(beside.said()).toContain(`Shared     data directory, with process ${first.child.pid}`)
  })

  test('lets other machines reach apps, and not the API', async () => {
    const [own] = reachableAddresses()
    if (!own) return console.warn('Skipped: this machine has no address besides loopback')
    const domain = `${own}.sslip.io`
    const berth = await start({ BERTH_INGRESS_HOST: '0.0.0.0', BERTH_DOMAIN: domain })
    const { PORT, INGRESS_PORT } = settings
    expect(berth.said()).toContain(`  API        http://127.0.0.1:${PORT}/api/public/v1\n`)
    expect(berth.said()).toContain(`  Apps       http://<account>-<app>-<env>.${domain}:${INGRESS_PORT}\n`)
    expect((await fetch(`http://${own}:${INGRESS_PORT}/`)).status).toBe(404)
    await expect(fetch(`http://${own}:${PORT}/livez`)).rejects.toThrow()
  })

  test('on every address names those that answer from elsewhere', async () => {
    const [own] = reachableAddresses()
    if (!own) return console.warn('Skipped: this machine has no address besides loopback')
    const berth = await start({ HOST: '0.0.0.0', BERTH_DOMAIN: 'apps.example.com' })
    const [, url = ''] = /^ {2}API +(\S+)\/api\/public\/v1$/m.exec(berth.said()) ?? []
    expect(url).toBe(`http://${own}:${settings.PORT}`)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    expect(berth.said()).toContain(
      `  Apps       http://<account>-<app>-<env>.apps.example.com:${settings.INGRESS_PORT}\n`,
    )
  })

  test('on an address that this machine does not have names the setting', async () => {
    expect(await refusal({ BERTH_INGRESS_HOST: '192.0.2.1' })).toContain(
      'BERTH_INGRESS_HOST=192.0.2.1 is not an address',
    )
    expect(await refusal({ HOST: '192.0.2.1' })).toContain('HOST=192.0.2.1 is not an address')
  })

  test('is not hindered by one that was killed, and waits for one that is stopping', async () => {
    await first.end('SIGKILL')
    const second = await start(known.settings)
    expect(second.said()).not.toContain('Shared')
    second.child.kill('SIGTERM')
    await start(known.settings)
    expect(await second.ended).toBe(0)
  })

  test('on a port of some other program names the setting and a port that is free', async () => {
    const stranger = createServer().listen(Number(settings.PORT), '127.0.0.1')
    const said = await refusal({})
    expect(said).toMatch(new RegExp(`Port ${settings.PORT} .*taken by another program. Set PORT .*such as PORT=\\d+`))
    stranger.close()
  })

  test.each([
    ['nothing listens', 'postgres://u:sesame@localhost:1/x', /nothing listens at localhost:1/],
    ['the password is wrong', 'wrong password', /refuses the password of the user "berth"/],
    ['the database is missing', 'missing database', /has no database "missing"/],
  ])('names DATABASE_URL when %s, without the password', async (_, kind, expected) => {
    const url = new URL(kind.startsWith('postgres') ? kind : database.url)
    if (kind === 'wrong password') url.password = 'sesame'
    if (kind === 'missing database') url.pathname = '/missing'
    const said = await refusal({ DATABASE_URL: url.href })
    expect(said).toMatch(/^DATABASE_URL \(postgres/)
    expect(said).toMatch(expected)
    expect(said).not.toContain(url.password)
  })

  test('says why the data directory cannot be used', async () => {
    expect(await refusal({ BERTH_DATA_DIR: '/dev/null/x' })).toMatch(/data directory .* part of its path is a file/)
  })
})
