import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Berth } from './support/berth.ts'
import { type Client, clientOf } from './support/client.ts'
import { programImage } from './support/images.ts'
import { type User, userOf } from './support/user.ts'

let berth: Berth
let client: Client
let user: User
let [first, second] = ['', '']

beforeAll(async () => {
  const start = Berth.start({ composition: inject('composition') })
  ;[berth, first, second] = await Promise.all([start, programImage('1'), programImage('2')])
  client = clientOf(berth.address)
  user = userOf(client)
})
afterAll(() => berth?.remove())

const containerOf = async (host: string): Promise<string> =>
  JSON.parse((await user.untilAnswer(host, ({ status }) => status === 200)).text).container

test('SIGKILL of everything loses nothing: what was accepted is done, and what ran still runs', async () => {
  const [running, changing] = await Promise.all([user.runImage(first), user.runImage(first)])
  const container = await containerOf(running.host)
  const { appEnvId } = changing
  const body = { appEnvId, image: second }
  const accepted = await client.call('POST', '/app-env/deploy-image', { body, headers: { prefer: 'wait=0' } })
  expect(accepted.body).toMatchObject({ success: true, appEnv: { status: 'UPDATING' } })
  await berth.kill()
  expect((await user.containersOf(running.appEnvId)).map(({ State }) => State)).toEqual(['running'])
  await berth.start()
  await user.untilAnswer(changing.host, ({ text }) => text.includes('"release":"2"'))
  const ended = await user.untilStatus(appEnvId, 'running', ({ status }) => status === 'RUNNING')
  expect(ended).toMatchObject({ currentVersion: 2, latestDeployment: { isSuccess: true } })
  expect(await containerOf(running.host)).toBe(container)
})

test('an app that is killed while Berth is away is repaired when it is back', async () => {
  const { appEnvId, host } = await user.runImage(first)
  await containerOf(host)
  await berth.interrupt()
  await user.removeContainersOf(appEnvId)
  await berth.start()
  await user.untilStatus(
    appEnvId,
    'repaired',
    ({ health, replicas }) => health === 'HEALTHY' && (replicas as { ready: number }).ready === 1,
  )
  expect(await containerOf(host)).not.toBe('')
})

test('a first-time start is told where everything is', async () => {
  expect(berth.said).toContain(`http://127.0.0.1:${new URL(client.url).port}/graphql`)
  expect((await client.call('GET', '//livez')).status).toBe(200)
  expect(JSON.parse(await client.readiness())).toMatchObject({ ready: true })
})
