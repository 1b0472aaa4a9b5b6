import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from './api.ts'

const DEPLOY_TIMEOUT_MS = 180_000

interface Operation {
  status: string
  reason: string | null
  message: string | null
  steps: { name: string; startedAt: string; finishedAt: string | null; detail: string | null }[]
}

/** The demo's app and environment: created by the first run, reused by the next. */
export async function ensureHello(api: Api, image: string): Promise<string> {
  const { accounts } = await api.get<{ accounts: { accountId: string; isCurrent: boolean }[] }>('/accounts')
  const account = accounts.find((candidate) => candidate.isCurrent) ?? accounts[0]
  if (!account) throw new Error('This token has access to no account')
  const { accountId } = account
  const { apps } = await api.get<{ apps: { appId: string; name: string }[] }>(`/apps?accountId=${accountId}`)
  const known = apps.find((app) => app.name === 'hello')?.appId
  const appId = known ?? (await createApp(api, accountId, image))
  const { appEnvs } = await api.get<{ appEnvs: { appEnvId: string; name: string }[] }>(`/app-envs?appId=${appId}`)
  return appEnvs.find((appEnv) => appEnv.name === 'production')?.appEnvId ?? createAppEnv(api, accountId, appId)
}

async function createApp(api: Api, accountId: string, image: string): Promise<string> {
  const app = { accountId, name: 'hello', port: 3000, useImage: true, image, healthCheckPath: '/healthz' }
  return (await api.post<{ appId: string }>('/app', app)).body.appId
}

async function createAppEnv(api: Api, accountId: string, appId: string): Promise<string> {
  const envVars = [{ name: 'VERSION', value: '1', type: 'DEPLOY', isSecret: false }]
  const appEnv = { accountId, appId, name: 'production', region: 'local', envVars }
  return (await api.post<{ appEnvId: string }>('/app-env', appEnv)).body.appEnvId
}

/** Deploys the image and prints each step as it finishes; throws when the operation does not succeed. */
export async function deploy(api: Api, appEnvId: string, image: string): Promise<void> {
  const { headers } = await api.post('/app-env/deploy-image', { appEnvId, image })
  const location = headers.get('operation-location')
  const operationId = new URL(location ?? '', 'http://berth').searchParams.get('operationId')
  const printed = new Set<string>()
  const deadline = Date.now() + DEPLOY_TIMEOUT_MS
  while (Date.now() < deadline) {
    const operation = await api.get<Operation>(`/operation?operationId=${operationId}`)
    printNewSteps(operation, printed)
    if (operation.status === 'SUCCEEDED') return
    if (operation.status === 'FAILED' || operation.status === 'CANCELLED') {
      throw new Error(`The deployment ended ${operation.status}: ${operation.reason} ${operation.message}`)
    }
    await sleep(100)
  }
  throw new Error(`The deployment did not end within ${DEPLOY_TIMEOUT_MS / 1000} s`)
}

function printNewSteps({ steps }: Operation, printed: Set<string>): void {
  for (const { name, startedAt, finishedAt, detail } of steps) {
    const key = `${name} ${startedAt}`
    if (!finishedAt || printed.has(key)) continue
    printed.add(key)
    const milliseconds = Date.parse(finishedAt) - Date.parse(startedAt)
    console.log(`    · ${name} (${milliseconds} ms)${detail ? `: ${detail}` : ''}`)
  }
}
