import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleStartup } from '../e2e/sample-app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { removeEverything } from '../support/remove-everything.ts'
import { ensureTestImage } from '../support/test-image.ts'
import { recordInstallation } from '../support/test-installations.ts'
import { type BerthProcess, startBerth } from './berth-process.ts'

/** No lease can expire by itself while this runs. */
const LEASE_SECONDS = '300'
const LONG_BEFORE = { timeout: 60_000, interval: 50 }

let held: TestDatabase
let dataDir: string
const running: BerthProcess[] = []
const docker = new Docker()

beforeAll(async () => {
  held = await createTestDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'berth-takeover-'))
})

afterAll(async () => {
  await Promise.all(running.map((berth) => berth.end('SIGKILL')))
  const installation = await held.database.installation.findFirst()
  if (installation) await removeEverything(docker, installation.id)
  await held.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

async function start(): Promise<BerthProcess> {
  const ports = { PORT: '0', INGRESS_PORT: '0', BERTH_LOG_LEVEL: 'silent', BERTH_LEASE_SECONDS: LEASE_SECONDS }
  const berth = await startBerth({ ...ports, DATABASE_URL: held.url, BERTH_DATA_DIR: dataDir })
  running.push(berth)
  recordInstallation((await held.database.installation.findFirstOrThrow()).id)
  return berth
}

async function lease() {
  const { leaseOwner, leaseToken } = await held.database.appEnv.findFirstOrThrow()
  return { owner: leaseOwner, token: leaseToken }
}

/** A deployment that stays under way: its containers never become ready. */
async function deployInVain(berth: BerthProcess): Promise<void> {
  const [address] = /http:\/\/127\.0\.0\.1:\d+\/api\/public\/v1/.exec(berth.said()) ?? []
  const authorization = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()
  const call = async (path: string, body?: object) => {
    const options = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const response = await fetch(`${address}${path}`, {
      ...options,
      headers: { authorization, 'content-type': 'application/json' },
    })
    expect(response.status).toBe(200)
    return response.json()
  }
  const image = await ensureTestImage(docker)
  const [{ accountId }] = (await call('/accounts')).accounts
  const app = { name: 'Slow', accountId, port: 3000, useImage: true, image, healthCheckPath: '/healthz' }
  const { appId } = await call('/app', app)
  const envVars = [{ name: 'BROKEN', value: 'never' }]
  const appEnv = { accountId, appId, name: 'production', region: 'local', startupConfig: sampleStartup, envVars }
  const { appEnvId } = await call('/app-env', appEnv)
  await call('/app-env/deploy-image', { appEnvId, image })
}

test('what a killed worker was at goes on at the next start; what a living one is at is left alone', async () => {
  const first = await start()
  await deployInVain(first)
  const stepsOf = async () => (await held.database.operation.findFirstOrThrow()).steps
  await expect.poll(async () => JSON.stringify(await stepsOf()), LONG_BEFORE).toContain('"ready"')
  const before = await lease()
  expect(before.owner).toMatch(/^worker-/)

  const second = await start()
  expect(await lease()).toEqual(before)
  await second.end('SIGTERM')
  expect(await lease()).toEqual(before)

  await first.end('SIGKILL')
  expect(await lease()).toEqual(before)
  await start()
  await expect.poll(async () => (await lease()).owner, LONG_BEFORE).not.toBe(before.owner)
  await expect.poll(async () => (await lease()).owner, LONG_BEFORE).toMatch(/^worker-/)
  expect((await lease()).token).toBeGreaterThan(before.token + 1)
})
