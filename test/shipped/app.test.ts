import { beforeAll, describe, test } from 'vitest'
import { eventually } from './support/eventually.ts'
import { programImage, sourceFiles } from './support/images.ts'
import { type SharedBerth, sharedBerth } from './support/shared-berth.ts'
import type { NewApp } from './support/user.ts'

let berth: SharedBerth
let [first, second] = ['', '']

beforeAll(async () => {
  ;[berth, first, second] = await Promise.all([sharedBerth(), programImage('1'), programImage('2')])
})

const isUp = ({ status }: { status: number }): boolean => status === 200
const releaseOf = async ({ host }: NewApp): Promise<string> =>
  JSON.parse((await berth.untilAnswer(host, isUp)).text).release

describe.concurrent('an app', () => {
  test('is replaced, rolled back, stopped and started', async ({ expect }) => {
    const app = await berth.runImage(first)
    const { appEnvId } = app
    expect(await releaseOf(app)).toBe('1')
    await berth.post('/app-env/deploy-image', { appEnvId, image: second })
    await berth.untilAnswer(app.host, ({ text }) => text.includes('"release":"2"'))
    const { rollbackInfo } = await berth.post('/app-env/rollback', { appEnvId })
    expect(rollbackInfo).toMatchObject({ fromVersion: 2, toVersion: 1 })
    await berth.untilAnswer(app.host, ({ text }) => text.includes('"release":"1"'))
    const { activities } = await berth.get('/app-env/history', { appEnvId })
    expect(activities.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1])

    await berth.post('/app-env/stop', { appEnvId })
    expect(await berth.statusOf(appEnvId)).toMatchObject({ status: 'STOPPED', replicas: { desired: 0, running: 0 } })
    const { status } = await berth.untilAnswer(app.host, (answer) => answer.status !== 200)
    expect(status).toBe(503)
    await berth.post('/app-env/start', { appEnvId })
    expect(await releaseOf(app)).toBe('1')
  })

  test('answers with each of its containers when it is scaled', async () => {
    const app = await berth.runImage(first)
    const { appEnvId, host } = app
    await berth.ok('PATCH', '/app-env/scaling', { body: { appEnvId, containers: 3, applyImmediately: true } })
    const replicas = { desired: 3, running: 3, ready: 3 }
    await berth.untilStatus(
      appEnvId,
      'scaled',
      (status) => JSON.stringify(status.replicas) === JSON.stringify(replicas),
    )
    const seen = new Set<string>()
    await berth.untilAnswer(host, ({ text }) => seen.add(JSON.parse(text).container).size === 3)
    const pods = async () => (await berth.get('/app-env/pods', { appEnvId })).pods
    await eventually('each container is listed', pods, ({ length }) => length === 3)
  })

  test('is built from an upload, and from the next', async ({ expect }) => {
    const app = await berth.createApp({ isCliDeployment: true })
    await berth.upload(app, await sourceFiles('uploaded'))
    expect(await releaseOf(app)).toBe('uploaded')
    await berth.upload(app, await sourceFiles('uploaded-again'))
    const { text } = await berth.untilAnswer(app.host, (answer) => answer.text.includes('again'))
    expect(JSON.parse(text).release).toBe('uploaded-again')
    const { activities } = await berth.get('/app-env/history', { appEnvId: app.appEnvId })
    expect(activities.map(({ version }: { version: number }) => version)).toEqual([2, 1])
  })

  test('keeps its volume from one version to the next', async ({ expect }) => {
    const app = await berth.runImage(first, {}, { volume: { path: '/data', disk: 100 } })
    const { appEnvId, host } = app
    expect((await berth.untilAnswer(host, isUp, '/note?keep=mine')).text).toBe('mine')
    await berth.post('/app-env/deploy-image', { appEnvId, image: second })
    await berth.untilAnswer(host, ({ text }) => text.includes('"release":"2"'))
    expect((await berth.ask(host, '/note')).text).toBe('mine')
  })

  test('streams and is upgraded through the ingress', async ({ expect }) => {
    const { host } = await berth.runImage(first)
    await berth.untilAnswer(host, isUp)
    const ticks = await berth.follow(host, '/ticks', 3)
    expect(ticks).toHaveLength(3)
    expect(await berth.upgrade(host, 'hello')).toBe('hello')
  })

  test('that crashes is started again, and its last words are kept', async ({ expect }) => {
    const app = await berth.runImage(first)
    const { appEnvId, host } = app
    await berth.untilAnswer(host, isUp)
    await berth.ask(host, '/exit').catch(() => null)
    const seen = await berth.untilStatus(
      appEnvId,
      'restarted',
      ({ restarts }) => (restarts as { count: number }).count > 0,
    )
    expect(seen.restarts).toMatchObject({ count: 1 })
    await berth.untilAnswer(host, isUp)
    expect(await berth.logsOf(appEnvId)).toContain('serving release 1')
  })

  test('is gone after its deletion, as are its containers', async ({ expect }) => {
    const { appId, appEnvId, host } = await berth.runImage(first)
    await berth.untilAnswer(host, isUp)
    await berth.ok('DELETE', '/app', { query: { appId } })
    expect((await berth.call('GET', '/app', { query: { appId } })).status).toBe(404)
    expect((await berth.untilAnswer(host, ({ status }) => status === 404)).status).toBe(404)
    await berth.untilNothingRuns(appEnvId)
  })

  test('shows the same through GraphQL and MCP as through REST', async ({ expect }) => {
    const { appEnvId } = await berth.runImage(first)
    const shown = await berth.statusOf(appEnvId)
    const query = 'query ($id: ID) { appEnv(id: $id) { status health currentVersion url } }'
    const { appEnv } = await berth.graphql(query, { id: appEnvId })
    const fields = { status: shown.status, health: shown.health, currentVersion: shown.currentVersion, url: shown.url }
    expect(appEnv).toMatchObject(fields)
    expect(await berth.tool('get-app-env-status', { appEnvId })).toMatchObject(fields)
  })

  test('tells of itself over SSE as over WebSocket', async ({ expect }) => {
    const { appEnvId } = await berth.runImage(first)
    const document = 'subscription ($id: ID) { appEnvStatusChanged(appEnvId: $id) { cursor appEnv { status } } }'
    const open = [berth.subscribe(document, { id: appEnvId }), berth.stream(document, { id: appEnvId })]
    const [socket, events] = await Promise.all(open.map(({ answers }) => berth.take(answers, 1)))
    // A change between the two gives them different cursors.
    const statusIn = (answer: unknown) => JSON.stringify(answer).match(/"status":"\w+"/)?.[0]
    expect([statusIn(events), statusIn(socket)]).toEqual(['"status":"RUNNING"', '"status":"RUNNING"'])
    for (const { close } of open) await close()
  })
})
