import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from './support/eventually.ts'
import { EXCEPTIONS } from './support/exceptions.ts'
import { programImage } from './support/images.ts'
import { type SharedBerth, sharedBerth } from './support/shared-berth.ts'
import type { NewApp } from './support/user.ts'

let image: string

beforeAll(async () => {
  image = await programImage('1')
})

const createFunction = (berth: SharedBerth, functionConfig: object = {}): Promise<NewApp> =>
  berth.runImage(
    image,
    { dockerPreset: 'FUNCTION', useImage: undefined },
    { functionConfig: { idleSeconds: 1, ...functionConfig } },
  )

const asleep = ({ untilStatus }: SharedBerth, { appEnvId }: NewApp, depth: string) =>
  untilStatus(appEnvId, `asleep: ${depth}`, ({ sleepDepth }) => sleepDepth === depth)

const isUp = ({ status }: { status: number }): boolean => status === 200

describe.concurrent('a function that nobody asks', () => {
  test('is frozen, and one container answers all who ask at once', async ({ expect }) => {
    const berth = await sharedBerth()
    const app = await createFunction(berth, { concurrency: 100 })
    const status = await asleep(berth, app, 'FROZEN')
    expect(status).toMatchObject({ status: 'RUNNING', health: 'HEALTHY', sleeping: true, replicas: { desired: 0 } })
    // The depth is recorded first, so that no request goes to a container that is about to be frozen.
    const states = async () => (await berth.containersOf(app.appEnvId)).map(({ State }) => State)
    await eventually('its container is paused', states, ([state, ...more]) => state === 'paused' && more.length === 0)
    await berth.wake(app)
    const answers = await Promise.all(Array.from({ length: 20 }, () => berth.ask(app.host)))
    expect(answers.map(({ status: code }) => code)).toEqual(Array(20).fill(200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  test('is woken by a connection that is upgraded', async ({ expect }) => {
    const berth = await sharedBerth()
    const app = await createFunction(berth)
    await asleep(berth, app, 'FROZEN')
    expect(await berth.upgrade(app.host, 'hello')).toBe('hello')
  })

  test('is stopped where nothing is frozen, and wakes', async ({ expect }) => {
    const berth = await sharedBerth(EXCEPTIONS)
    const app = await createFunction(berth)
    await asleep(berth, app, 'STOPPED')
    expect((await berth.wake(app)).status).toBe(200)
  })

  test('is removed in the end, and wakes from nothing', async ({ expect }) => {
    const berth = await sharedBerth(EXCEPTIONS)
    const app = await createFunction(berth)
    await asleep(berth, app, 'NONE')
    await berth.untilNothingRuns(app.appEnvId)
    expect(JSON.parse((await berth.wake(app)).text)).toMatchObject({ release: '1' })
  })

  test('stays asleep when a person has stopped it, until it is started', async ({ expect }) => {
    const berth = await sharedBerth()
    const app = await createFunction(berth)
    await berth.post('/app-env/stop', { appEnvId: app.appEnvId })
    await berth.untilAnswer(app.host, ({ status }) => status === 503)
    expect(await berth.statusOf(app.appEnvId)).toMatchObject({ status: 'STOPPED', sleeping: false })
    await berth.post('/app-env/start', { appEnvId: app.appEnvId })
    await berth.untilAnswer(app.host, isUp)
  })

  test('is replaced and rolled back while it sleeps', async ({ expect }) => {
    const berth = await sharedBerth()
    const app = await createFunction(berth)
    const second = await programImage('2')
    await asleep(berth, app, 'FROZEN')
    await berth.post('/app-env/deploy-image', { appEnvId: app.appEnvId, image: second })
    expect((await berth.untilAnswer(app.host, ({ text }) => text.includes('"release":"2"'))).status).toBe(200)
    await asleep(berth, app, 'FROZEN')
    await berth.post('/app-env/rollback', { appEnvId: app.appEnvId })
    expect((await berth.untilAnswer(app.host, ({ text }) => text.includes('"release":"1"'))).status).toBe(200)
  })
})

test('the effective configuration of a function that was created without one is shown', async () => {
  const berth = await sharedBerth()
  const { appEnvId } = await berth.createApp({ dockerPreset: 'FUNCTION' })
  const { functionConfig } = await berth.get('/app-env', { appEnvId })
  expect(functionConfig).toEqual({ minScale: 0, maxScale: 3, concurrency: 50, idleSeconds: 300, timeoutSeconds: 60 })
})
