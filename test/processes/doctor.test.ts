import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Finding } from '../../src/platform/doctor/finding.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { freePort, freePorts } from '../support/free-ports.ts'
import { startBerth } from './berth-process.ts'

const BERTH = join(import.meta.dirname, '../../scripts/berth.mjs')
/** What the command promises, and as much again for a busy machine, which has to start three programs. */
const LIMIT_MS = 20_000

let database: TestDatabase
let dataDir: string
let settings: Record<string, string>

beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'berth-doctor-'))
  const [port, ingressPort] = await freePorts(2)
  settings = { PORT: `${port}`, INGRESS_PORT: `${ingressPort}`, BERTH_DATA_DIR: dataDir, DATABASE_URL: database.url }
})

afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true })
  await database.drop()
})

/** The command as a person types it. */
async function doctor(more: Record<string, string> = {}, args = ['--json']) {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, HOME, NODE_COMPILE_CACHE, BERTH_HOST_FIREWALL: 'off', ...settings, ...more }
  const startedAt = performance.now()
  return new Promise<{ code: number; output: string; checks: Record<string, Finding>; tookMs: number }>((resolve) => {
    execFile(process.execPath, [BERTH, 'doctor', ...args], { env }, (error, output) => {
      const { checks } = args.includes('--json') ? (JSON.parse(output) as { checks: Finding[] }) : { checks: [] }
      const code = error ? Number(error.code) : 0
      const tookMs = performance.now() - startedAt
      resolve({ code, output, checks: Object.fromEntries(checks.map((check) => [check.name, check])), tookMs })
    })
  })
}

const failedIn = (checks: Record<string, Finding>) => Object.values(checks).filter(({ level }) => level === 'fail')

test('the doctor says how everything is, before Berth runs, while it runs and after, and changes nothing', async () => {
  const before = await doctor()
  expect({ code: before.code, failed: failedIn(before.checks) }).toEqual({ code: 0, failed: [] })
  expect(before.checks).toMatchObject({
    berth: { level: 'warn', nextStep: 'Start it: npm start' },
    // On a busy machine it may be slow, which is a warning.
    database: { found: expect.stringMatching(/answer/) },
    engine: { level: 'ok' },
    memory: { level: 'ok' },
    ingressPort: { level: 'ok' },
  })
  expect(readdirSync(dataDir)).toEqual([])

  const berth = await startBerth(settings)
  try {
    await expect.poll(async () => (await doctor()).checks.worker?.level).toBe('ok')
    const { code, checks } = await doctor()
    expect({ code, failed: failedIn(checks) }).toEqual({ code: 0, failed: [] })
    expect(checks).toMatchObject({
      berth: { level: 'ok', found: expect.stringContaining(`API http://127.0.0.1:${settings.PORT}`) },
      apiPort: { level: 'ok', found: `listens on 127.0.0.1:${settings.PORT}, which only this machine reaches` },
      engine: { found: expect.stringMatching(/^Docker Engine \d/) },
      cgroup: { level: 'ok' },
      ingress: { level: 'ok' },
      clock: { level: 'ok' },
      dataDir: { level: 'ok' },
      rights: { level: 'ok' },
    })
    // The settings of this command are not those of the processes that run.
    const unreached = { DATABASE_URL: `postgres://berth@127.0.0.1:${await freePort()}/none` }
    expect((await doctor(unreached)).checks.database).toMatchObject({
      level: 'ok',
      found: expect.stringContaining('answers the processes that run'),
    })
    // For people, a line each.
    const { output } = await doctor({}, [])
    expect(output.trim().split('\n')).toHaveLength(Object.keys(checks).length)
    for (const line of output.trim().split('\n')) expect(line).toMatch(/^(ok {2}|warn|fail) {2}\w+: .+$/)
  } finally {
    await berth.end('SIGTERM')
  }
  expect((await doctor()).checks.berth).toMatchObject({ level: 'warn' })
})

test('a process that is paused is named by its id, and nothing is said to be ended', async () => {
  const berth = await startBerth(settings)
  const { pid } = berth.child
  try {
    berth.child.kill('SIGSTOP')
    const { checks, tookMs } = await doctor()
    expect(tookMs).toBeLessThan(LIMIT_MS)
    expect(checks.berth).toMatchObject({
      level: 'fail',
      found: `process ${pid} of Berth gave no answer within 5 s`,
      nextStep: expect.stringContaining(`kill -CONT ${pid}`),
    })
    expect(checks.apiPort).toMatchObject({ level: 'warn', found: expect.stringContaining(`process ${pid} of Berth`) })
    expect(Object.values(checks).filter(({ nextStep }) => /\b(end it|kill (?!-CONT))/i.test(nextStep ?? ''))).toEqual(
      [],
    )
    berth.child.kill('SIGCONT')
    await expect.poll(async () => (await doctor()).checks.berth?.level).toBe('ok')
  } finally {
    berth.child.kill('SIGCONT')
    await berth.end('SIGTERM')
  }
})

test('each check that fails is named, and a wrong setting is one', async () => {
  const failing = await doctor({
    DOCKER_HOST: 'unix:///nonexistent',
    BERTH_API_URL: `https://localhost:${await freePort()}`,
  })
  expect(failing.code).toBe(1)
  const failed = Object.values(failing.checks).filter(({ level }) => level === 'fail')
  // On a busy machine the database may be slow, which another test is about.
  const others = failed.map(({ name }) => name).filter((name) => name !== 'database')
  expect(others.toSorted()).toEqual(['certificate', 'engine'])
  const wrong = await doctor({ PORT: 'http' })
  expect(wrong).toMatchObject({ code: 1, checks: { settings: { found: expect.stringContaining('PORT: must be') } } })
})

test('waits for nothing that does not answer', async () => {
  const silent = await Promise.all([silence(), silence(), silence()])
  const [host, url, api] = silent.map(({ port }) => `127.0.0.1:${port}`)
  const { checks, tookMs, code } = await doctor({
    DATABASE_URL: `postgres://berth@${url}/berth`,
    DOCKER_HOST: `https://${host}`,
    BERTH_API_URL: `https://${api}`,
  })
  expect(code).toBe(1)
  expect(tookMs).toBeLessThan(LIMIT_MS)
  expect(checks).toMatchObject({
    database: { level: 'fail', state: 'DATABASE_SLOW' },
    engine: { level: 'fail', state: 'ENGINE_UNREACHABLE' },
    certificate: { level: 'fail', found: expect.stringContaining('no answer') },
  })
  for (const { server } of silent) server.close()
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
})

/** Takes connections, and says nothing. */
async function silence(): Promise<{ server: Server; port: number }> {
  const port = await freePort()
  const server = createServer((socket) => void socket.on('error', () => {})).listen(port, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return { server, port }
}
