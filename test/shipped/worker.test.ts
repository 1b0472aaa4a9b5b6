import { afterAll, beforeAll, describe, test } from 'vitest'
import { type GitServer, startGitServer } from '../support/git-server.ts'
import { EXCEPTIONS } from './support/exceptions.ts'
import { programImage, sourceFiles } from './support/images.ts'
import { type SharedBerth, sharedBerth } from './support/shared-berth.ts'
import { type NewApp, unique } from './support/user.ts'

let berth: SharedBerth
let git: GitServer
let image: string

beforeAll(async () => {
  ;[berth, git, image] = await Promise.all([sharedBerth(EXCEPTIONS), startGitServer(), programImage('1')])
})
afterAll(() => git?.close())

const NONE = { healthCheck: { type: 'NONE' } }
const startupConfig = { command: 'node', args: ['/app/program.mjs', 'work'], shell: false }

/** How a worker that listens on no port comes to run. */
const SOURCES: [source: string, run: () => Promise<NewApp>][] = [
  ['an image', () => berth.runImage(image, NONE, { startupConfig })],
  [
    'an upload',
    async () => {
      const app = await berth.createApp({ isCliDeployment: true, ...NONE }, { startupConfig })
      await berth.upload(app, await sourceFiles('uploaded'))
      return app
    },
  ],
  [
    'git',
    async () => {
      git.commit('worker', await sourceFiles('committed'))
      const source = { gitRepo: git.repository('worker'), dockerfilePath: 'Dockerfile' }
      const app = await berth.createApp({ ...source, ...NONE }, { branch: 'main', startupConfig })
      await berth.post('/app-env/build', { appEnvId: app.appEnvId })
      return app
    },
  ],
  [
    'a compose file',
    async () => {
      const accountId = await berth.accountId()
      const compose = `services: { work: { image: "${image}", command: ["node", "/app/program.mjs", "work"] } }`
      const body = { accountId, appName: unique('worker'), region: 'local', compose }
      const { appIds, appEnvIds } = await berth.post('/solutions/compose', body)
      const [appId = '', appEnvId = ''] = [appIds[0], appEnvIds[0]]
      return { accountId, appId, appEnvId, envName: '', host: '' }
    },
  ],
]

describe.concurrent('a worker that listens on no port', () => {
  test.for(SOURCES)('runs from %s, without a host, and its output is kept', async ([, run], { expect }) => {
    const { appEnvId } = await run()
    expect(await berth.statusOf(appEnvId)).toMatchObject({ status: 'RUNNING', health: 'HEALTHY', hosts: [] })
    await berth.untilLogged(appEnvId, 'work goes on')
  })

  test('is started again after a crash, which its status tells', async ({ expect }) => {
    const envVars = [{ name: 'CRASH', value: '20000', type: 'DEPLOY' }]
    const { appEnvId } = await berth.runImage(image, NONE, { startupConfig, envVars })
    const status = await berth.untilStatus(
      appEnvId,
      'restarted',
      ({ restarts }) => (restarts as { count: number }).count > 0,
    )
    expect(status).toMatchObject({ status: 'RUNNING', hosts: [] })
    expect(await berth.logsOf(appEnvId)).toContain('the work has broken off')
  })

  test('that ends at once is not deployed', async ({ expect }) => {
    const app = await berth.createApp(
      { useImage: true, image, ...NONE },
      { startupConfig: { ...startupConfig, args: ['-e', 'process.exit(3)'] } },
    )
    const body = { appEnvId: app.appEnvId, image }
    const answer = await berth.call('POST', '/app-env/deploy-image', { body, headers: { prefer: 'wait=240' } })
    expect(answer.headers.get('operation-status')).toBe('FAILED')
  })

  test.for([
    ['FUNCTION', 'healthCheck.type'],
    ['REDIS', 'healthCheck'],
  ] as const)('is no %s', async ([dockerPreset, field], { expect }) => {
    const body = { name: unique('app'), accountId: await berth.accountId(), port: 3000, dockerPreset, ...NONE }
    if (dockerPreset === 'REDIS') body.port = 6379
    const { status, body: refusal } = await berth.call('POST', '/app', { body })
    expect([status, refusal.errors?.[0]?.field]).toEqual([400, field])
  })
})
