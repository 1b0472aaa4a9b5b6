import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import pino from 'pino'
import { readConfig } from '../../src/config/config.ts'
import { type Platform, startPlatform } from '../../src/platform/platform.ts'
import type { Database } from '../../src/storage/database/client.ts'
import { createTestDatabase } from '../support/database.ts'
import { expectDescribedEvents } from '../support/described-events.ts'
import { removeEverything } from '../support/remove-everything.ts'
import { ensureTestImage } from '../support/test-image.ts'
import { recordInstallation } from '../support/test-installations.ts'
import { sampleStartup } from './sample-app.ts'

export interface TestPlatform {
  platform: Platform
  database: Database
  docker: Docker
  image: string
  dataDir: string
  databaseUrl: string
  rest(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  /** A REST call that must succeed; its body. */
  ok<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Body>
  /** An app with one environment that runs the sample program. */
  createSample(name: string, containers?: number, accountId?: string): Promise<Sample>
  /** One request through the ingress. */
  visit(host: string, path?: string): Promise<Response>
  stop(): Promise<void>
}

export interface Sample {
  accountId: string
  appId: string
  appEnvId: string
  host: string
}

/** What it takes that no request fails while containers are replaced. */
export const UNDER_LOAD = { BERTH_DRAIN_SECONDS: '1', BERTH_ROUTE_PROPAGATION_MS: '300' }

/**
 * A whole Berth, all three roles, on a database of its own, the real engine and free ports. Its log goes to `logTo`, or
 * to standard output.
 */
export async function startTestPlatform(
  settings: Record<string, string> = {},
  logTo?: pino.DestinationStream,
): Promise<TestPlatform> {
  const held = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-e2e-'))
  const docker = new Docker()
  const image = await ensureTestImage(docker)
  const config = readConfig({
    PORT: '0',
    INGRESS_PORT: '0',
    DATABASE_URL: held.url,
    BERTH_DATA_DIR: dataDir,
    BERTH_LOG_LEVEL: process.env.BERTH_TEST_LOG ?? 'fatal',
    BERTH_RECONCILE_SECONDS: '2',
    // Nobody asks while versions are replaced; a test whose clients do takes UNDER_LOAD.
    BERTH_DRAIN_SECONDS: '0',
    BERTH_ROUTE_PROPAGATION_MS: '50',
    BERTH_STOP_GRACE_SECONDS: '2',
    BERTH_HOST_FIREWALL: 'off',
    // Registries of tests are on loopback.
    BERTH_PRIVATE_REGISTRIES: '127.0.0.1',
    // BERTH_BUILDER=own npx vitest run --project engine test/e2e: the same with another builder.
    ...(process.env.BERTH_BUILDER ? { BERTH_BUILDER: process.env.BERTH_BUILDER } : {}),
    ...settings,
  })
  const platform = await startPlatform(config, pino({ level: config.BERTH_LOG_LEVEL }, logTo))
  recordInstallation(platform.installationId ?? '')

  const rest: TestPlatform['rest'] = (method, path, body, headers = {}) =>
    fetch(`${platform.apiUrl}/api/public/v1${path}`, {
      method,
      headers: { authorization: platform.adminToken, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const ok: TestPlatform['ok'] = async (method, path, body, headers) => {
    const response = await rest(method, path, body, headers)
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return JSON.parse(text)
  }

  const createSample = async (name: string, containers = 1, owner?: string): Promise<Sample> => {
    const { accounts } = await ok<{ accounts: { accountId: string }[] }>('GET', '/accounts')
    const accountId = owner ?? accounts.at(-1)?.accountId ?? ''
    const app = { name, accountId, port: 3000, useImage: true, image, healthCheckPath: '/healthz' }
    const { appId } = await ok<{ appId: string }>('POST', '/app', app)
    const appEnv = { accountId, appId, name: 'production', region: 'local', containers, startupConfig: sampleStartup }
    const { appEnvId } = await ok<{ appEnvId: string }>('POST', '/app-env', appEnv)
    const { hosts } = await ok<{ hosts: string[] }>('GET', `/app-env?appEnvId=${appEnvId}`)
    return { accountId, appId, appEnvId, host: hosts[0] ?? '' }
  }

  return {
    platform,
    database: held.database,
    docker,
    image,
    dataDir,
    databaseUrl: held.url,
    rest,
    ok,
    createSample,
    // fetch forbids setting Host, and *.localhost need not resolve on every machine.
    visit: (host, path = '/') =>
      fetch(`${platform.ingressUrl}${path}`, { headers: { 'x-forwarded-host': host, host } }),
    async stop() {
      await platform.stop()
      await removeEverything(docker, platform.installationId ?? '')
      await expectDescribedEvents(held.database).finally(() => held.drop())
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
