import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { shutDown } from '../../src/storage/database/postgres-server.ts'
import { DiskTrace, spawnTraced, tracingProblem } from '../support/disk-trace.ts'
import { freePort } from '../support/free-ports.ts'
import { sourceOf } from '../support/source-archive.ts'

const ROOT = join(import.meta.dirname, '../..')
/** A bound on a hang: each system call that is traced stops its thread twice. */
const TIMEOUT_MS = 120_000

/** What of a data directory need not last, and why. Everything else must. */
const MADE_AGAIN: readonly (readonly [RegExp, string])[] = [
  [/^postgres\/data\/./, 'PostgreSQL syncs its files itself: initdb all of them at its end, the server by its WAL'],
  [/^postgres\/server\.log$/, 'output of the server, for a message about why it does not start'],
  [/^postgres\/port$/, 'another free port is chosen and written at the next start'],
  [/^processes(\/|$)/, 'sockets of processes that live, which a power cut ends'],
  [/^builds(\/|$)/, 'a build that is interrupted begins anew'],
]

const isMadeAgain = (path: string) => MADE_AGAIN.some(([pattern]) => pattern.test(path))

const problem = tracingProblem()
if (problem) console.warn(`Whether files that must last are synced is not tested: ${problem}`)

let parent = ''
let groups: number[] = []

afterEach(async () => {
  for (const pid of groups) killGroup(pid)
  groups = []
  await shutDown(join(dataDir(), 'postgres'), 5)
  rmSync(parent, { recursive: true, force: true })
})

/** Neither the folder nor the one above it is there before the first start. */
const dataDir = () => join(parent, 'new', 'berth')

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

const settings = () => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  BERTH_DATA_DIR: dataDir(),
  BERTH_HOST_FIREWALL: 'off',
  DOCKER_HOST: 'unix:///nonexistent/docker.sock',
})

function traced(name: string, command: readonly string[], env: NodeJS.ProcessEnv) {
  const log = join(parent, `${name}.trace`)
  const run = spawnTraced(log, command, env)
  groups.push(run.child.pid ?? 0)
  return { ...run, log }
}

/** Runs a program to its end. */
async function runTraced(name: string, command: readonly string[]): Promise<string> {
  const { ended, said, log } = traced(name, command, settings())
  expect(await ended, said()).toBe(0)
  return log
}

/** The shipped program: its first start, an archive that is uploaded, and its end. */
async function firstStart(): Promise<string> {
  const port = await freePort()
  const env = { ...settings(), PORT: `${port}`, INGRESS_PORT: '0', BERTH_HEALTH_PORT: '0' }
  const { child, ended, said, log } = traced(
    'first-start',
    [process.execPath, join(ROOT, 'scripts/supervise.mjs')],
    env,
  )
  const until = Date.now() + TIMEOUT_MS
  while (!/Berth is ready/.test(said()) && child.exitCode === null && Date.now() < until) await sleep(50)
  expect(said()).toMatch(/Berth is ready/)
  await upload(port)
  // strace keeps signals from itself; the supervisor is its only child.
  process.kill(Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')), 'SIGTERM')
  expect(await ended, said()).toBe(0)
  return log
}

async function upload(port: number): Promise<void> {
  const authorization = readFileSync(join(dataDir(), 'admin-token'), 'utf8').trim()
  const rest = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/public/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    expect(response.status, text).toBe(200)
    return JSON.parse(text)
  }
  const { accounts } = (await rest('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts.at(-1)?.accountId
  const { appId } = await rest('POST', '/app', { accountId, name: 'Sent', port: 3000, isCliDeployment: true })
  const { appEnvId } = await rest('POST', '/app-env', { accountId, appId, name: 'production', region: 'local' })
  const { uploadUrl } = await rest('POST', '/app-env/request-storage-key', { appEnvId, fileExtension: '.tar.gz' })
  const archive = await sourceOf({ 'server.js': 'console.log("hello")' })
  const { status } = await fetch(String(uploadUrl), { method: 'PUT', body: new Uint8Array(archive) })
  expect(status).toBe(200)
}

/** As a worker writes one. */
const WRITE_BACKUP = `
  import { folderStore } from ${JSON.stringify(join(ROOT, 'src/storage/backups/stores/folder-store.ts'))}
  const content = async function* () { yield Buffer.alloc(100_000, 1); yield Buffer.alloc(100_000, 2) }
  await folderStore(process.env.BERTH_DATA_DIR + '/backups').write('bak_1.1', content(), { signal: new AbortController().signal })`

/** Where the password of the database is lost, it is set anew. */
const START_DATABASE = `
  import { startEmbeddedPostgres } from ${JSON.stringify(join(ROOT, 'src/storage/database/embedded.ts'))}
  const server = await startEmbeddedPostgres({ dataDir: process.env.BERTH_DATA_DIR, warn: () => {} })
  await server.stop()`

test.skipIf(problem !== null)('syncs every file that must last, and every name of one, in this order', async () => {
  parent = mkdtempSync(join(tmpdir(), 'berth-durable-'))
  // The folders above it are made by the start as well.
  const trace = new DiskTrace(join(parent, 'new'))
  const node = [process.execPath, '--disable-warning=DeprecationWarning']
  const runs = [
    firstStart,
    () => runTraced('backup', [...node, '--input-type=module-typescript', '-e', WRITE_BACKUP]),
    () => runTraced('rotation', [...node, join(ROOT, 'scripts/rotate-key.ts')]),
    () => {
      rmSync(join(dataDir(), 'postgres/password'))
      return runTraced('password', [...node, '--input-type=module-typescript', '-e', START_DATABASE])
    },
  ]
  const lasting = new Set<string>()
  const unsynced = new Set<string>()
  for (const run of runs) {
    trace.read(await run())
    // After each run, because the next one may sync a folder for reasons of its own.
    const found = trace.unsynced((path) => isMadeAgain(path.replace(/^berth\/?/, '')))
    for (const path of found.lasting) lasting.add(path)
    for (const path of found.unsynced) unsynced.add(path)
  }
  console.log(`Files and folders that must last: ${lasting.size}; not synced: ${unsynced.size}`)
  expect([...unsynced]).toEqual([])
  // What the trace has to be about.
  const names = [...lasting].join('\n')
  // PostgreSQL’s files are left out because initdb does this.
  expect(readFileSync(join(parent, 'first-start.trace'), 'utf8')).toMatch(/fsync\(\d+<[^>]*\/data\/global\/pg_control>/)
  for (const name of [/^berth\/admin-token$/m, /^berth\/master-key$/m, /^berth\/master-key\.old-.+$/m])
    expect(names).toMatch(name)
  for (const name of [/^berth\/postgres\/password$/m, /^berth\/postgres\/data$/m, /^berth\/ingress-table\.json$/m])
    expect(names).toMatch(name)
  for (const name of [/^berth\/uploads\/.+$/m, /^berth\/backups\/bak_1\.1$/m]) expect(names).toMatch(name)
})
