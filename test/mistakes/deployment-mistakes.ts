import { emptyRegistry } from '../support/empty-registry.ts'
import { trustApp } from '../trust/support/image-app.ts'
import type { FreshBerth } from '../trust/trust-case.ts'
import type { Mistake, Scene } from './mistake.ts'

const LISTENS_ON = (where: string) => `require('node:http').createServer((q, r) => r.end('hello')).listen(${where})`

/** What a beginner sees who reads the status. */
export async function statusMessage(berth: FreshBerth, appEnvId: string): Promise<string> {
  const { latestDeployment } = await berth.ok('GET', `/app-env/status?appEnvId=${appEnvId}`)
  return String((latestDeployment as { message: string | null } | null)?.message ?? '')
}

/** Deploys a program of one line, by default on an image that the engine has. */
async function deployed({ berth, begin, image: own }: Scene, program: string, image = own) {
  const startupConfig = { command: 'node', args: ['-e', program], shell: false }
  const { appEnvId } = await trustApp(berth, { appEnv: { startupConfig } })
  begin()
  await berth.ok('POST', '/app-env/deploy-image', { appEnvId, image })
  return () => statusMessage(berth, appEnvId)
}

const common = { where: 'status', needsEngine: true } as const

export const deploymentMistakes: Mistake[] = [
  {
    ...common,
    title: 'wrong image',
    says: /nginx:alpne.*(not found|does not have|no such|unknown)/i,
    async make(scene) {
      const registry = scene.undo.use(await emptyRegistry())
      return deployed(scene, '', `${registry.address}/library/nginx:alpne`)
    },
  },
  {
    ...common,
    title: 'wrong port',
    says: /listens on 8080, not 3000/,
    make: (scene) => deployed(scene, LISTENS_ON('8080')),
  },
  {
    ...common,
    title: 'loopback only',
    says: /listens on 127\.0\.0\.1:3000 only; listen on 0\.0\.0\.0/,
    make: (scene) => deployed(scene, LISTENS_ON("process.env.PORT, '127.0.0.1'")),
  },
  {
    ...common,
    title: 'crash',
    says: /exited with code 3, \d times in a row\n.*cannot open the safe/s,
    make: (scene) =>
      deployed(scene, "setTimeout(() => { console.error('cannot open the safe'); process.exit(3) }, 300)"),
  },
  {
    ...common,
    title: 'missing variable',
    says: /exited with code 1, \d times in a row\n.*DATABASE_URL is not set/s,
    make: (scene) => deployed(scene, "if (!process.env.DATABASE_URL) throw new Error('DATABASE_URL is not set')"),
  },
  {
    ...common,
    title: 'engine stopped',
    needsEngine: false,
    says: /Waiting for the container engine/,
    async make(scene) {
      await scene.stopEngine()
      return deployed(scene, LISTENS_ON('process.env.PORT'), 'nginx:alpine')
    },
  },
]
