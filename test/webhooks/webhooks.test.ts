import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Failpoint } from '../../src/fault-injection/failpoint.ts'
import { askAddress } from '../../src/network/addresses/ask-address.ts'
import { redeliverWebhookDelivery } from '../../src/services/webhook/redeliver.ts'
import { deleteWebhook, rotateWebhookSecret, updateWebhook } from '../../src/services/webhook/webhook-commands.ts'
import { getWebhook } from '../../src/services/webhook/webhook-queries.ts'
import { LeaseLost } from '../../src/worker/claim/abandoned.ts'
import { releaseFormerLeases } from '../../src/worker/claim/release-former-leases.ts'
import { claimWebhook, fencedWebhook, type WebhookLease } from '../../src/worker/webhooks/webhook-lease.ts'
import { Orders } from '../crash/harness/orders.ts'
import { eventually } from '../worker/fixtures.ts'
import { createWebhookWorld, type Event, type Receiver, startReceiver, verified } from './webhook-world.ts'

let world: Awaited<ReturnType<typeof createWebhookWorld>>
let receiver: Receiver
let stop: (() => Promise<void>) | null = null

beforeAll(async () => {
  world = await createWebhookWorld()
})
afterAll(() => world?.end())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  await stop?.()
  stop = null
  receiver.close()
  for (const { id: webhookId } of await world.database.webhook.findMany())
    await world.perform(deleteWebhook, { webhookId })
})

const start = () => {
  stop = world.startWorker().stop
}

const EVENTS = { eventTypes: ['appEnv.updated'] }

/** What arrived, each event once, in the order in which it came first. */
function arrived(secret: string | null, at = receiver): Map<string, Event> {
  const first = new Map<string, Event>()
  for (const one of at.received) if (!first.has(one.id)) first.set(one.id, verified(secret, one))
  return first
}

const numbersOf = (secret: string | null, appEnvId: string) =>
  [...arrived(secret).values()].filter(({ data }) => data.appEnvId === appEnvId).map(({ data }) => data.payload.number)

test('a receiver that fails, hangs, redirects to a private address and recovers gets every event, in order', async () => {
  const inside = await startReceiver('127.0.0.1')
  const { webhookId, secret } = await world.webhook(receiver, EVENTS)
  const answers = [
    (response) => response.writeHead(500).end('no'),
    () => undefined,
    (response) => response.writeHead(302, { location: inside.url }).end(),
  ] as Parameters<Receiver['behave']>[0] extends (received: never, response: infer R) => unknown
    ? ((response: R) => unknown)[]
    : never
  receiver.behave((received, response) => {
    const answer = verified(secret, received).data.appEnvId === 'env_a' ? answers.shift() : undefined
    if (answer) answer(response)
    else response.writeHead(204).end()
  })
  start()
  await world.happen(...[1, 2, 3].flatMap((number) => ['env_a', 'env_b'].map((appEnvId) => ({ appEnvId, number }))))
  // What fails for one environment holds up no other.
  const early = await world.ended(webhookId, 3)
  expect(early.filter(({ appEnvId, status }) => appEnvId === 'env_b' && status === 'DELIVERED')).toHaveLength(3)
  const all = await world.ended(webhookId, 6)
  expect(all.map(({ status }) => status)).toEqual(Array(6).fill('DELIVERED'))
  expect([numbersOf(secret, 'env_a'), numbersOf(secret, 'env_b')]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ])
  const [first] = all
  expect(first).toMatchObject({ attempts: 4, answerStatus: 204, error: null })
  expect(receiver.received.filter(({ id }) => id === first?.id)).toHaveLength(4)
  expect(inside.received).toEqual([])
  inside.close()
})

test('a delivery has the labels of app and environment', async () => {
  const { webhookId, secret } = await world.webhook(receiver, EVENTS)
  start()
  const app = { labels: { team: 'checkout' } }
  const { appId, appEnvId } = await world.appEnv({ app, labels: { tier: '1', at: 'edge' } })
  await world.happen({ appId, appEnvId, number: 1 }, { number: 2 })
  await world.ended(webhookId, 2)
  // Of two queues, either may be first.
  const labelsOf = (number: number) =>
    [...arrived(secret).values()]
      .filter(({ data }) => data.payload.number === number)
      .map(({ data }) => [data.appLabels, data.appEnvLabels])
  expect(labelsOf(1)).toEqual([[{ team: 'checkout' }, { at: 'edge', tier: '1' }]])
  expect(labelsOf(2)).toEqual([[null, null]])
})

test('a delivery is given up after its last attempt, and the next of its environment follows', async () => {
  const { webhookId, secret } = await world.webhook(receiver, EVENTS)
  receiver.behave((received, response) =>
    response.writeHead(verified(secret, received).data.payload.number === 1 ? 400 : 204).end(),
  )
  start()
  await world.happen({ appEnvId: 'env_a', number: 1 }, { appEnvId: 'env_a', number: 2 })
  const [first, second] = await world.ended(webhookId, 2)
  expect(first).toMatchObject({ status: 'FAILED', attempts: 5, error: 'Answered 400' })
  expect(second).toMatchObject({ status: 'DELIVERED', attempts: 1 })
})

test('two workers deliver each event once, and those of an environment in order', async () => {
  const { webhookId, secret } = await world.webhook(receiver, EVENTS)
  const workers = [world.startWorker('worker-a'), world.startWorker('worker-b')]
  const numbers = Array.from({ length: 20 }, (_, index) => index)
  for (const number of numbers)
    await world.happen(...['env_a', 'env_b', 'env_c'].map((appEnvId) => ({ appEnvId, number })))
  await world.ended(webhookId, 60)
  for (const worker of workers) await worker.stop()
  expect(receiver.received).toHaveLength(60)
  for (const appEnvId of ['env_a', 'env_b', 'env_c']) expect(numbersOf(secret, appEnvId)).toEqual(numbers)
})

describe('a worker that is killed', () => {
  const POINTS: [Failpoint, number][] = [
    ['webhook.claimed', 1],
    // The events are taken, and nothing is sent.
    ['webhook.written', 1],
    // Sent, and not recorded: the only place that doubles a delivery.
    ['webhook.sent', 2],
    ['webhook.written', 2],
    ['webhook.written', 4],
  ]
  test.each(POINTS)('at %s, pass %d, loses no delivery', async (point, pass) => {
    const { webhookId, secret } = await world.webhook(receiver, EVENTS)
    const orders = new Orders(await mkdtemp(join(tmpdir(), 'berth-webhooks-')))
    onTestFinished(() => rm(orders.folder, { recursive: true }))
    orders.arm({ point, subject: webhookId, pass }, 'SIGKILL', `${point}-${pass}`)
    await world.happen(...[1, 2, 3].map((number) => ({ appEnvId: 'env_a', number })))
    const child = world.spawnWorker('worker-killed', orders.folder)
    const [, signal] = await once(child, 'exit')
    expect([signal, orders.isFired]).toEqual(['SIGKILL', true])
    // As its successor does on starting.
    await releaseFormerLeases(world.database, ['worker-killed'])
    start()
    const all = await world.ended(webhookId, 3)
    expect(all.map(({ status }) => status)).toEqual(Array(3).fill('DELIVERED'))
    expect(numbersOf(secret, 'env_a')).toEqual([1, 2, 3])
    expect(receiver.received).toHaveLength(point === 'webhook.sent' ? 4 : 3)
  })

  test('and one that was paused, writes nothing in the time of its successor', async () => {
    const { webhookId } = await world.webhook(receiver, EVENTS)
    const paused = (await claimWebhook(world.database, 'worker-a', 30)) as WebhookLease
    expect(await claimWebhook(world.database, 'worker-b', 30)).toBeNull()
    await world.database.$executeRaw`UPDATE webhook SET lease_expires_at = now() - interval '1 second'`
    const successor = (await claimWebhook(world.database, 'worker-b', 30)) as WebhookLease
    expect(successor.webhookId).toBe(webhookId)
    await expect(fencedWebhook(world.database, paused, async () => 'written')).rejects.toThrow(LeaseLost)
    expect(await fencedWebhook(world.database, successor, async () => 'written')).toBe('written')
    paused.close()
    successor.close()
  })
})

describe('redelivery', () => {
  test('sends the event again with the same id', async () => {
    const { webhookId, secret } = await world.webhook(receiver, EVENTS)
    start()
    await world.happen({ appEnvId: 'env_a', number: 1 })
    const [delivery] = await world.ended(webhookId, 1)
    const again = await world.perform(redeliverWebhookDelivery, { deliveryId: delivery?.id })
    expect(again).toMatchObject({ status: 'PENDING', attempts: 1 })
    await eventually(
      () => world.deliveriesOf(webhookId),
      ([one]) => one?.status === 'DELIVERED' && one.attempts === 2,
    )
    const [first, second] = receiver.received
    expect([second?.id, second?.body]).toEqual([first?.id, first?.body])
    expect(arrived(secret).size).toBe(1)
  })

  test('of an event that is no longer kept, or by a webhook that is off, is refused', async () => {
    const { webhookId } = await world.webhook(receiver, EVENTS)
    start()
    await world.happen({ number: 1 })
    const [delivery] = await world.ended(webhookId, 1)
    const redeliver = () => world.perform(redeliverWebhookDelivery, { deliveryId: delivery?.id })
    await world.perform(updateWebhook, { webhookId, enabled: false })
    await expect(redeliver()).rejects.toMatchObject({ code: 'CONFLICT', reason: 'WEBHOOK_DISABLED' })
    await world.perform(updateWebhook, { webhookId, enabled: true })
    await world.database.event.deleteMany({ where: { sequence: delivery?.sequence ?? 0n } })
    await expect(redeliver()).rejects.toMatchObject({ code: 'CONFLICT', reason: 'EVENT_EXPIRED' })
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a webhook is switched off', () => {
  const eventsOfType = (type: string) => world.database.event.findMany({ where: { type } })
  const becomesOff = (id: string) =>
    eventually(
      () => world.database.webhook.findUniqueOrThrow({ where: { id } }),
      ({ isEnabled }) => !isEnabled,
    )

  test('after days of failure, with an event, and goes on where it stopped once it is enabled', async () => {
    const { webhookId, secret } = await world.webhook(receiver, EVENTS)
    receiver.behave((_received, response) => response.writeHead(500).end())
    await world.database.$executeRaw`
      UPDATE webhook SET failing_since = now() - interval '73 hours' WHERE id = ${webhookId}`
    await world.happen({ appEnvId: 'env_a', number: 1 })
    start()
    expect(await becomesOff(webhookId)).toMatchObject({ disabledReason: 'FAILING', version: 2 })
    const [notice] = (await eventsOfType('webhook.disabled')).slice(-1)
    expect(notice?.payload).toEqual({ webhookId, kind: 'WEBHOOK', name: 'Receiver', reason: 'FAILING' })
    await world.happen({ appEnvId: 'env_a', number: 2 })
    const before = receiver.received.length
    receiver.behave((_received, response) => response.writeHead(200).end())
    await world.perform(updateWebhook, { webhookId, enabled: true })
    await world.ended(webhookId, 2)
    expect(before).toBe(1)
    expect(numbersOf(secret, 'env_a')).toEqual([1, 2])
    expect(
      await world.services.find(getWebhook, { caller: await caller(), requestId: 'req_1' }, { webhookId }),
    ).toMatchObject({
      enabled: true,
      disabledReason: null,
      failingSince: null,
    })
  })

  test('at once when its receiver is gone', async () => {
    const { webhookId } = await world.webhook(receiver, EVENTS)
    receiver.behave((_received, response) => response.writeHead(410).end())
    await world.happen({ number: 1 })
    start()
    expect(await becomesOff(webhookId)).toMatchObject({ disabledReason: 'GONE' })
  })

  test('and skips what expired meanwhile, and says so', async () => {
    const { webhookId, secret } = await world.webhook(receiver)
    await world.perform(updateWebhook, { webhookId, enabled: false })
    await world.happen({ number: 1 }, { number: 2 })
    const { lastEventSequence: last } = await world.database.eventSequence.findUniqueOrThrow({
      where: { id: world.accountId },
    })
    await world.database.event.deleteMany({ where: { eventSequenceId: world.accountId, sequence: { lte: last } } })
    await world.database.eventSequence.update({ where: { id: world.accountId }, data: { expiredSequence: last } })
    await world.perform(updateWebhook, { webhookId, enabled: true })
    start()
    await world.ended(webhookId, 2)
    const said = [...arrived(secret).values()].map(({ type, data }) => [type, data.payload.expiredEvents])
    expect(said).toEqual([
      ['webhook.changed', undefined],
      ['webhook.changed', 4],
    ])
  })
})

const caller = () => world.services.authenticate(world.adminToken)

test('a new secret and, for a while, the former one verify deliveries', async () => {
  const { webhookId, secret: former } = await world.webhook(receiver, EVENTS)
  const { secret } = await world.perform(rotateWebhookSecret, { webhookId })
  expect(secret).not.toBe(former)
  start()
  await world.happen({ number: 1 })
  await world.ended(webhookId, 1)
  await world.database.$executeRaw`UPDATE webhook SET former_secret_until = now()`
  await world.happen({ number: 2 })
  await world.ended(webhookId, 2)
  const [first, second] = receiver.received
  if (!first || !second) throw new Error('Two deliveries were expected')
  for (const key of [former, secret]) expect(verified(key, first).data.payload.number).toBe(1)
  expect(verified(secret, second).data.payload.number).toBe(2)
  expect(() => verified(former, second)).toThrow('No matching signature')
})

describe('an address inside', () => {
  test.each([
    'https://127.0.0.1/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://user:pass@example.com/',
    'http://example.com/',
    'ftp://example.com/',
    'nonsense',
  ])('is refused when it is named: %s', async (url) => {
    const refusal = await world.webhook({ url }).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'INVALID_INPUT', details: { fields: [{ field: 'url' }] } })
  })

  test('is refused when a name resolves to it, and nothing connects to it', async () => {
    const inside = await startReceiver('127.0.0.1')
    const url = inside.url.replace('127.0.0.1', 'localhost').replace('http:', 'https:')
    const { webhookId } = await world.webhook({ url }, EVENTS)
    start()
    await world.happen({ number: 1 })
    const [delivery] = await eventually(
      () => world.deliveriesOf(webhookId),
      ([one]) => (one?.attempts ?? 0) > 0,
    )
    expect(delivery).toMatchObject({
      status: 'PENDING',
      answerStatus: null,
      error: 'localhost is on a private address, where nothing is sent unless BERTH_WEBHOOK_PRIVATE_HOSTS lists it',
    })
    expect(inside.received).toEqual([])
    inside.close()
  })

  test('cannot come of another answer of the name server: the address that was checked is the one that is called', async () => {
    const url = new URL(receiver.url.replace('127.0.0.2', 'rebound.invalid'))
    const signal = AbortSignal.timeout(60_000)
    const answer = await askAddress(url, ['127.0.0.2'], { method: 'POST', headers: {}, body: '{}', signal })
    expect([answer.status, receiver.received[0]?.headers.host]).toEqual([204, url.host])
  })
})
