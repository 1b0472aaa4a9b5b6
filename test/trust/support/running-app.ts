import { request } from 'node:http'
import { ensureTestImage } from '../../support/test-image.ts'
import type { FreshBerth } from '../trust-case.ts'
import { deployEnded, trustApp } from './image-app.ts'

export interface RunningApp {
  appEnvId: string
  host: string
}

/** An app of an account of its own that runs this program, once the ingress routes to it. */
export async function runningApp(berth: FreshBerth, program: string): Promise<RunningApp> {
  const startupConfig = { command: 'node', args: ['-e', program], shell: false }
  const app = await trustApp(berth, { appEnv: { startupConfig } })
  const { status, message } = await deployEnded(berth, app, await ensureTestImage(berth.docker))
  if (status !== 'SUCCEEDED') throw new Error(`The app did not start: ${message}`)
  const { hosts } = (await berth.ok('GET', `/app-env?appEnvId=${app.appEnvId}`)) as { hosts: string[] }
  const running = { appEnvId: app.appEnvId, host: hosts[0] ?? '' }
  const until = performance.now() + 20_000
  while ((await askApp(berth, running, '/healthz')).status !== 200) {
    if (performance.now() > until) throw new Error(`The ingress does not route ${running.host}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return running
}

export interface AppAnswer {
  status: number
  body: string
  ms: number
  error: string | undefined
}

/** One request through the ingress, on a connection of its own. */
export function askApp({ ingressUrl }: FreshBerth, { host }: RunningApp, path: string): Promise<AppAnswer> {
  const since = performance.now()
  return new Promise((resolve, reject) => {
    const asked = request(`${ingressUrl}${path}`, { headers: { host }, agent: false }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('error', reject)
      response.on('end', () => {
        const error = response.headers['x-berth-error']
        resolve({ status: response.statusCode ?? 0, body, ms: performance.now() - since, error: error?.toString() })
      })
    })
    asked.on('error', reject)
    asked.end()
  })
}
