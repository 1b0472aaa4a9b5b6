import { setTimeout as pause } from 'node:timers/promises'
import { sampleStartup } from '../../e2e/sample-app.ts'
import type { FreshBerth } from '../trust-case.ts'

const ENDS_WITHIN_MS = 90_000
let apps = 0

export interface EndedOperation {
  operationId: string
  status: string
  reason: string | null
  message: string | null
  attempt: number
}

export interface TrustApp {
  accountId: string
  appEnvId: string
}

interface AppOptions {
  accountId?: string
  login?: Record<string, string>
  /** Further fields of the app. */
  app?: Record<string, unknown>
  /** Further fields of the environment. */
  appEnv?: Record<string, unknown>
}

export const newAccount = async (berth: FreshBerth): Promise<string> => {
  apps += 1
  return String((await berth.ok('POST', '/account', { name: `tenant ${apps}` })).accountId)
}

/** An app of an account, by default a new one, that runs images with the sample program. */
export async function trustApp(berth: FreshBerth, { login, app, appEnv, ...options }: AppOptions = {}) {
  const accountId = options.accountId ?? (await newAccount(berth))
  apps += 1
  const credential = login && { accountId, type: 'CONTAINER_REGISTRY', name: `login ${apps}`, data: login }
  const imagePullAccountSecretId = credential && (await berth.ok('POST', '/credential', credential)).credentialId
  const ofImage = { useImage: true, image: 'nosuch.invalid/any:1' }
  const fields = { name: `app ${apps}`, accountId, port: 3000, ...(app ?? ofImage) }
  const { appId } = await berth.ok('POST', '/app', { ...fields, ...(credential ? { imagePullAccountSecretId } : {}) })
  const environment = { accountId, appId, name: 'production', region: 'local', startupConfig: sampleStartup, ...appEnv }
  const { appEnvId } = await berth.ok('POST', '/app-env', environment)
  return { accountId, appEnvId: String(appEnvId) }
}

export async function deployEnded(
  berth: FreshBerth,
  { appEnvId }: TrustApp,
  image: string,
  options: { token?: string } = {},
): Promise<EndedOperation> {
  await berth.ok('POST', '/app-env/deploy-image', { appEnvId, image }, options)
  return ended(berth, appEnvId)
}

/** The newest operation of an environment, once it has ended. */
export async function ended(berth: FreshBerth, appEnvId: string): Promise<EndedOperation> {
  const until = Date.now() + ENDS_WITHIN_MS
  for (;;) {
    const { operations } = await berth.ok('GET', `/operations?appEnvId=${appEnvId}`)
    const [newest] = operations as EndedOperation[]
    if (newest && !['QUEUED', 'RUNNING'].includes(newest.status)) return newest
    if (Date.now() > until) throw new Error(`Not ended within ${ENDS_WITHIN_MS} ms: ${JSON.stringify(newest)}`)
    await pause(100)
  }
}
