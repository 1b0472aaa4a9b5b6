import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { readConfig } from '../../src/config/config.ts'
import { startPlatform } from '../../src/platform/platform.ts'
import { FUNCTION_PROGRAM } from './function-program.ts'
import type { TestPlatform } from './platform.ts'

export interface FunctionApp {
  appEnvId: string
  host: string
}

export interface Status {
  status: string
  health: string
  sleeping: boolean
  sleepDepth: string | null
  sleepReason: string | null
  sleepingSince: string | null
  replicas: { desired: number; running: number; ready: number }
}

/** An app of the type that sleeps, deployed and awake. */
export async function createFunction(
  berth: TestPlatform,
  name: string,
  functionConfig: object,
  envVars: { name: string; value: string }[] = [],
): Promise<FunctionApp> {
  const { accounts } = await berth.ok<{ accounts: { accountId: string }[] }>('GET', '/accounts')
  const accountId = accounts.at(-1)?.accountId ?? ''
  const app = { name, accountId, port: 3000, dockerPreset: 'FUNCTION' }
  const { appId } = await berth.ok<{ appId: string }>('POST', '/app', app)
  const startupConfig = { command: 'node', args: ['-e', FUNCTION_PROGRAM], shell: false }
  const appEnv = { accountId, appId, name: 'production', region: 'local', startupConfig, functionConfig, envVars }
  const { appEnvId } = await berth.ok<{ appEnvId: string }>('POST', '/app-env', appEnv)
  const { hosts } = await berth.ok<{ hosts: string[] }>('GET', `/app-env?appEnvId=${appEnvId}`)
  const deployed = await berth.ok(
    'POST',
    '/app-env/deploy-image',
    { appEnvId, image: berth.image },
    { Prefer: 'wait=120' },
  )
  if (deployed.success !== true) throw new Error(`It was not deployed: ${JSON.stringify(deployed)}`)
  return { appEnvId, host: hosts[0] ?? '' }
}

export const statusOf = (berth: TestPlatform, appEnvId: string) =>
  berth.ok<Status>('GET', `/app-env/status?appEnvId=${appEnvId}`)

/** Another ingress process, as far as the database can tell. */
export async function startSecondIngress(berth: TestPlatform, settings: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'berth-e2e-'))
  const config = readConfig({
    BERTH_ROLES: 'ingress',
    PORT: '0',
    INGRESS_PORT: '0',
    DATABASE_URL: berth.databaseUrl,
    BERTH_DATA_DIR: dataDir,
    BERTH_LOG_LEVEL: 'fatal',
    BERTH_TCP_PORTS: 'off',
    ...settings,
  })
  const platform = await startPlatform(config, pino({ level: config.BERTH_LOG_LEVEL }))
  return {
    url: platform.ingressUrl ?? '',
    async stop() {
      await platform.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
