import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import pino from 'pino'
import { readConfig } from '../src/config/config.ts'
import { startPlatform } from '../src/platform/platform.ts'
import { removeEverything } from '../test/support/remove-everything.ts'
import { ensureTestImage } from '../test/support/test-image.ts'

export interface BenchPlatform {
  image: string
  apiUrl: string
  token: string
  ingressUrl: string
  get(path: string): Promise<Record<string, unknown>>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Record<string, unknown>>
  /** `more` overrides fields of the app and of the environment. */
  createAppEnv(
    name: string,
    startupConfig: object,
    more?: { app?: object; appEnv?: object },
  ): Promise<{ appEnvId: string; host: string }>
  stop(): Promise<void>
}

/**
 * A whole Berth as a user runs it: embedded, durable PostgreSQL and default settings, but for those given; only the ports
 * are random free ones.
 */
export async function startBenchPlatform(settings: Record<string, string> = {}): Promise<BenchPlatform> {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-bench-'))
  const image = await ensureTestImage()
  const config = readConfig({
    PORT: '0',
    INGRESS_PORT: '0',
    BERTH_DATA_DIR: dataDir,
    BERTH_LOG_LEVEL: 'fatal',
    BERTH_HOST_FIREWALL: 'off',
    ...settings,
  })
  const platform = await startPlatform(config, pino({ level: 'fatal' }))

  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${platform.apiUrl}/api/public/v1${path}`, {
      method,
      headers: { authorization: platform.adminToken, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }
  const post: BenchPlatform['post'] = (path, body, headers) => call('POST', path, body, headers)

  const createAppEnv: BenchPlatform['createAppEnv'] = async (name, startupConfig, more = {}) => {
    const { accounts } = (await call('GET', '/accounts')) as { accounts: { accountId: string }[] }
    const accountId = accounts[0]?.accountId
    const { appId } = await post('/app', { name, accountId, port: 3000, useImage: true, image, ...more.app })
    const { appEnvId } = await post('/app-env', {
      accountId,
      appId,
      name: 'production',
      region: 'local',
      startupConfig,
      ...more.appEnv,
    })
    const { hosts } = (await call('GET', `/app-env?appEnvId=${appEnvId}`)) as { hosts: string[] }
    return { appEnvId: String(appEnvId), host: hosts[0] ?? '' }
  }

  const stop = async () => {
    const { apps } = (await call('GET', '/apps')) as { apps: { appId: string }[] }
    for (const { appId } of apps) await call('DELETE', `/app?appId=${appId}`)
    await untilNoContainers(platform.installationId ?? '')
    await platform.stop()
    await removeEverything(new Docker(), platform.installationId ?? '')
    await rm(dataDir, { recursive: true, force: true })
  }

  const get = (path: string) => call('GET', path)
  const addresses = { apiUrl: platform.apiUrl ?? '', token: platform.adminToken, ingressUrl: platform.ingressUrl ?? '' }
  return { image, ...addresses, get, post, createAppEnv, stop }
}

/** Id of the container that serves. */
export async function servingContainer(docker: Docker, appEnvId: string): Promise<string> {
  const [found] = await docker.listContainers({ filters: { label: [`berth.env=${appEnvId}`], status: ['running'] } })
  if (!found) throw new Error('No container serves')
  return found.Id
}

async function untilNoContainers(installationId: string): Promise<void> {
  const filters = { label: [`berth.installation=${installationId}`] }
  for (let tries = 0; tries < 300; tries += 1) {
    if ((await new Docker().listContainers({ all: true, filters })).length === 0) return
    await sleep(100)
  }
}
