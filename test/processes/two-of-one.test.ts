import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { embeddedAccess } from '../../src/storage/database/embedded.ts'
import { sampleStartup } from '../e2e/sample-app.ts'
import { freePort } from '../support/free-ports.ts'
import { ownedBy, removeEverything } from '../support/remove-everything.ts'
import { ensureTestImage } from '../support/test-image.ts'
import { recordInstallation } from '../support/test-installations.ts'
import { type BerthProcess, startBerth } from './berth-process.ts'

const SCRIPTS = join(import.meta.dirname, '../../scripts')
const LONG = { timeout: 120_000, interval: 200 }

const docker = new Docker()
const folders: string[] = []
const running: BerthProcess[] = []
let image: string
let installationId: string | null = null

beforeAll(async () => {
  image = await ensureTestImage(docker)
})

afterAll(async () => {
  await Promise.all(running.map((berth) => berth.end('SIGTERM')))
  if (installationId) await removeEverything(docker, installationId)
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

interface Berth {
  process: BerthProcess
  call<Answer = { appId: string; appEnvId: string }>(method: string, path: string, body?: object): Promise<Answer>
  /** What /readyz says of the engine. */
  engine(): Promise<{ ready: boolean; reason: string | null }>
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'berth-two-'))
  folders.push(folder)
  return folder
}

const settingsOf = (dataDir: string, ports: Record<string, string> = {}) => ({
  ...ports,
  BERTH_DATA_DIR: dataDir,
  BERTH_LOG_LEVEL: 'silent',
  BERTH_RECONCILE_SECONDS: '2',
})

/** As `npm start` runs it: a supervisor, the API and the worker, and the ingress. */
async function start(dataDir: string): Promise<Berth> {
  const ports = { PORT: `${await freePort()}`, INGRESS_PORT: `${await freePort()}` }
  const berth = await startBerth(settingsOf(dataDir, ports), { isSupervised: true })
  running.push(berth)
  const address = `http://127.0.0.1:${ports.PORT}`
  const authorization = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()
  return {
    process: berth,
    async call(method, path, body) {
      const response = await fetch(`${address}/api/public/v1${path}`, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const answer = await response.json()
      expect(response.status, JSON.stringify(answer)).toBe(200)
      return answer
    },
    async engine() {
      const { parts } = await (await fetch(`${address}/readyz`)).json()
      return parts.engine
    },
  }
}

const run = (dataDir: string, script: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [join(SCRIPTS, script), ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settingsOf(dataDir) },
    timeout: 120_000,
  }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      said: `${error.stdout}${error.stderr}`,
    }),
  )

async function readInstallationId(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'postgres')
  const client = new pg.Client(embeddedAccess(folder, Number(readFileSync(join(folder, 'port'), 'utf8'))).url)
  await client.connect()
  const { rows } = await client.query('SELECT id FROM installation')
  await client.end()
  return rows[0].id
}

const containers = async (appEnvId: string) => {
  const found = await docker.listContainers({ filters: { label: [`berth.env=${appEnvId}`, 'berth.role=replica'] } })
  return found.map(({ Id }) => Id).toSorted()
}

const refusal = { ready: false, reason: expect.stringContaining('npm run engine:take-over') }

test('a copy of an installation beside it leaves the containers alone, until a person has it take over', async () => {
  const dataDir = newFolder()
  const first = await start(dataDir)
  installationId = await readInstallationId(dataDir)
  recordInstallation(installationId)
  const { accounts } = await first.call<{ accounts: { accountId: string }[] }>('GET', '/accounts')
  const accountId = accounts.at(-1)?.accountId
  const app = { name: 'Shop', accountId, port: 3000, useImage: true, image, healthCheckPath: '/healthz' }
  const { appId } = await first.call('POST', '/app', app)
  const appEnv = { accountId, appId, name: 'production', region: 'local', startupConfig: sampleStartup }
  const { appEnvId } = await first.call('POST', '/app-env', appEnv)
  await first.call('POST', '/app-env/deploy-image', { appEnvId, image })
  await expect
    .poll(() => first.call<{ status: string }>('GET', `/app-env/status?appEnvId=${appEnvId}`), LONG)
    .toMatchObject({ status: 'RUNNING' })
  const before = await containers(appEnvId)
  await first.process.end('SIGTERM')

  const copyDir = join(newFolder(), 'copy')
  cpSync(dataDir, copyDir, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !path.endsWith('/processes'),
  })
  await promisify(execFile)('cp', ['-a', `${dataDir}/postgres/.`, `${copyDir}/postgres/`])
  const original = await start(dataDir)
  await expect.poll(() => original.engine(), LONG).toMatchObject({ ready: true })
  const copy = await start(copyDir)
  await expect.poll(() => copy.engine(), LONG).toMatchObject(refusal)

  // What the copy is asked to do waits, with the reason; the original goes on.
  await copy.call('POST', '/app-env/stop', { appEnvId })
  await expect
    .poll(() => copy.call('GET', `/operations?appEnvId=${appEnvId}&limit=1`), LONG)
    .toMatchObject({
      operations: [{ reason: 'ENGINE_UNREACHABLE', message: expect.stringContaining('another Berth') }],
    })
  await original.call('POST', '/app-env/deploy-image', { appEnvId, image })
  await expect.poll(async () => (await containers(appEnvId)).filter((id) => !before.includes(id)), LONG).toHaveLength(1)
  await expect.poll(() => containers(appEnvId), LONG).toHaveLength(1)
  const kept = await containers(appEnvId)
  await copy.process.end('SIGTERM')
  expect(await run(copyDir, 'reset.ts', '--yes')).toMatchObject({
    code: 1,
    said: expect.stringContaining('those of another Berth'),
  })
  expect(await run(copyDir, 'take-over-engine.ts')).toMatchObject({
    code: 1,
    said: expect.stringMatching(/another Berth is at work there.*--force/),
  })
  expect(await containers(appEnvId)).toEqual(kept)
  expect(await original.engine()).toMatchObject({ ready: true })

  const again = await start(copyDir)
  await expect.poll(() => again.engine(), LONG).toMatchObject(refusal)
  expect(await run(copyDir, 'take-over-engine.ts', '--force')).toMatchObject({
    code: 0,
    said: expect.stringContaining(`data directory ${dataDir}`),
  })
  await expect.poll(() => again.engine(), LONG).toMatchObject({ ready: true })
  await expect.poll(() => original.engine(), LONG).toMatchObject(refusal)
  // Now the copy's stop is carried out, and the original does not start anything again.
  await expect.poll(() => containers(appEnvId), LONG).toEqual([])
  const marks = await docker.listVolumes({ filters: { label: [...ownedBy(installationId).label, 'berth.role=mark'] } })
  expect(marks.Volumes?.length).toBeLessThanOrEqual(2)
}, 1_800_000)
