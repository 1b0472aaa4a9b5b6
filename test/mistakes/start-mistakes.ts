import { once } from 'node:events'
import { createServer } from 'node:net'
import { spawnBerth } from '../processes/berth-process.ts'
import { freePort } from '../support/free-ports.ts'
import type { Mistake, Scene } from './mistake.ts'

const portOf = (url: string): string => new URL(url).port

/** What a second start prints, beside the Berth that runs. */
async function started({ berth, begin, undo }: Scene, settings: Record<string, string>) {
  const [PORT, INGRESS_PORT] = [`${await freePort()}`, `${await freePort()}`]
  const folder = { BERTH_DATA_DIR: berth.dataDir, DATABASE_URL: berth.databaseUrl }
  begin()
  const second = spawnBerth({ PORT, INGRESS_PORT, ...folder, ...settings }, { isSupervised: true })
  undo.defer(() => second.end('SIGTERM'))
  return second.said
}

const common = { where: 'terminal', needsEngine: false } as const

export const startMistakes: Mistake[] = [
  {
    title: 'wrong token',
    where: 'answer',
    needsEngine: false,
    says: /token in the Authorization header is not valid/,
    async make({ berth, begin }) {
      begin()
      const { body } = await berth.rest('GET', '/accounts', undefined, { token: 'berth_u_wrong' })
      return () => String(body.message)
    },
  },
  {
    ...common,
    title: 'port taken',
    says: /Port \d+ .*taken by another program\. Set PORT to a free one, such as PORT=\d+/,
    async make(scene) {
      const stranger = createServer().listen(0, '127.0.0.1')
      await once(stranger, 'listening')
      scene.undo.defer(() => void stranger.close())
      const address = stranger.address()
      return started(scene, { PORT: String(typeof address === 'object' ? address?.port : '') })
    },
  },
  {
    ...common,
    title: 'data folder in use',
    says: /Berth already runs on this data directory.*kill \d+.*set BERTH_DATA_DIR/s,
    make: (scene) => started(scene, { PORT: portOf(scene.berth.url), INGRESS_PORT: portOf(scene.berth.ingressUrl) }),
  },
  {
    ...common,
    title: 'wrong setting',
    says: /BERTH_DRAIN_SECONDS: must be a whole number from 0 to 3600; not "soon"/,
    make: (scene) => started(scene, { BERTH_DRAIN_SECONDS: 'soon' }),
  },
]
