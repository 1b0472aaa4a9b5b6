import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import { ensureTestImage } from '../test/support/test-image.ts'
import { startFreshBerth } from '../test/trust/fresh-berth.ts'

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
 * A whole Berth as a user runs it: its own processes, a durable PostgreSQL and default settings, but for those given;
 * only the ports are random free ones, and little time is given to containers that stop.
 */
export async function startBenchPlatform(settings: Record<string, string> = {}): Promise<BenchPlatform> {
  const image = await ensureTestImage()
  const fixed = { BERTH_LOG_LEVEL: 'fatal', BERTH_HOST_FIREWALL: 'off' }
  const { berth, close } = await startFreshBerth({ ...fixed, ...settings }, { isDurable: true })
  const get: BenchPlatform['get'] = (path) => berth.ok('GET', path)
  const post: BenchPlatform['post'] = (path, body, headers = {}) => berth.ok('POST', path, body, { headers })

  const createAppEnv: BenchPlatform['createAppEnv'] = async (name, startupConfig, more = {}) => {
    const { accounts } = (await get('/accounts')) as { accounts: { accountId: string }[] }
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
    const { hosts } = (await get(`/app-env?appEnvId=${appEnvId}`)) as { hosts: string[] }
    return { appEnvId: String(appEnvId), host: hosts[0] ?? '' }
  }

  const stop = async () => {
    const { apps } = (await get('/apps')) as { apps: { appId: string }[] }
    for (const { appId } of apps) await berth.ok('DELETE', `/app?appId=${appId}`)
    await untilNoContainers(berth.installationId)
    await close()
  }

  const { url: apiUrl, adminToken: token, ingressUrl } = berth
  return { image, apiUrl, token, ingressUrl, get, post, createAppEnv, stop }
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
