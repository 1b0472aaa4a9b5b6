import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { Berth } from './support/berth.ts'
import { type Client, clientOf } from './support/client.ts'
import { ensureService, programImage, sourceFiles } from './support/images.ts'
import { type NewApp, type User, userOf } from './support/user.ts'

let berth: Berth
let client: Client
let user: User
let image: string

beforeAll(async () => {
  ;[berth, image] = await Promise.all([
    Berth.start({ composition: inject('composition') }),
    programImage('1'),
    ensureService('REDIS'),
  ])
  client = clientOf(berth.address)
  user = userOf(client)
})

afterAll(() => berth?.remove())

/** Left running by the first part, found again by the second. */
const left: { app?: NewApp; container?: string; sleeper?: NewApp; cache?: NewApp } = {}

const STATUS = `subscription ($id: ID) { appEnvStatusChanged(appEnvId: $id) { appEnv { status currentVersion } } }`

const containerOf = async ({ host }: NewApp): Promise<string> => JSON.parse((await client.ask(host)).text).container

describe.concurrent('after npm start', () => {
  test('an image is deployed and answers, and a subscription sees it', async ({ expect }) => {
    const app = await user.createApp({ useImage: true, image, healthCheckPath: '/healthz' })
    const { answers, close } = client.subscribe(STATUS, { id: app.appEnvId })
    const seen: { status: string; currentVersion: number | null }[] = []
    const watching = (async () => {
      for await (const { data } of answers) {
        seen.push(data.appEnvStatusChanged.appEnv)
        if (seen.at(-1)?.status === 'RUNNING') return
      }
    })()
    // It begins with what is now, which the deployment would change.
    await expect.poll(() => seen.length).toBe(1)
    await client.post('/app-env/deploy-image', { appEnvId: app.appEnvId, image })
    await watching
    await close()
    expect(seen[0]).toMatchObject({ status: 'PENDING', currentVersion: null })
    expect(seen.at(-1)).toMatchObject({ status: 'RUNNING', currentVersion: 1 })
    const { text } = await user.untilAnswer(app.host, ({ status }) => status === 200)
    expect(JSON.parse(text)).toMatchObject({ release: '1' })
    left.app = app
    left.container = await containerOf(app)
  })

  test('an uploaded folder is built, deployed, and answers', async ({ expect }) => {
    const app = await user.createApp({ isCliDeployment: true })
    await user.upload(app, await sourceFiles('uploaded'))
    const { text } = await user.untilAnswer(app.host, ({ status }) => status === 200)
    expect(JSON.parse(text)).toMatchObject({ release: 'uploaded' })
  })

  test('a function that nobody asks sleeps, and wakes for a request', async ({ expect }) => {
    const functionConfig = { idleSeconds: 1 }
    const app = await user.runImage(image, { dockerPreset: 'FUNCTION', useImage: undefined }, { functionConfig })
    await user.untilStatus(app.appEnvId, 'asleep', ({ sleeping }) => sleeping === true)
    expect(JSON.parse((await user.wake(app)).text)).toMatchObject({ release: '1' })
    left.sleeper = app
  })

  test('a job runs, and its output and exit code are kept', async ({ expect }) => {
    const jobConfig = { command: 'node', args: ['/app/program.mjs', 'job', 'import'], shell: false }
    const { appEnvId } = await user.runImage(image, { dockerPreset: 'JOB', port: undefined, jobConfig })
    const { jobRunId } = await client.post('/app-env/job-runs', { appEnvId })
    const run = await user.untilRunEnded(jobRunId)
    expect(run).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 })
    expect(await user.logsOf(appEnvId)).toContain('done: import')
  })

  test('an app uses a Redis through a variable', async ({ expect }) => {
    const cache = await user.createApp({ dockerPreset: 'REDIS', port: undefined })
    const envVars = [{ name: 'REDIS_URL', value: `\${${cache.envName}.internalUrl}`, type: 'DEPLOY' }]
    const app = await user.runImage(image, {}, { envVars })
    const { text } = await user.untilAnswer(app.host, ({ status }) => status === 200, '/redis?say=INCR&say=visits')
    expect(text).toBe('1')
    left.cache = app
  })
})

test('Ctrl-C ends Berth and no app; a second start adopts them as they are', async () => {
  const { app, sleeper, cache } = left
  if (!app || !sleeper || !cache) throw new Error('A test before this one has failed')
  await berth.interrupt()
  expect(berth.said).toContain('stopping. Your apps keep running.')
  await berth.start()
  const { text } = await user.untilAnswer(app.host, ({ status }) => status === 200)
  expect(JSON.parse(text).container).toBe(left.container)
  await user.untilStatus(app.appEnvId, 'healthy', ({ health }) => health === 'HEALTHY')
  expect(await user.statusOf(app.appEnvId)).toMatchObject({ status: 'RUNNING', currentVersion: 1 })
  const { operations } = await client.get('/operations', { appEnvId: app.appEnvId })
  expect(operations.map(({ kind }: { kind: string }) => kind)).toEqual(['DEPLOY_IMAGE'])
  const again = await user.untilAnswer(cache.host, ({ status }) => status === 200, '/redis?say=INCR&say=visits')
  expect(again.text).toBe('2')
  await user.untilStatus(sleeper.appEnvId, 'asleep', ({ sleeping }) => sleeping === true)
  await user.wake(sleeper)
})
