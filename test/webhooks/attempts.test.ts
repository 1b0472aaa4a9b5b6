import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { listWebhookAttempts } from '../../src/services/webhook/delivery-queries.ts'
import { testWebhook } from '../../src/services/webhook/test-webhook.ts'
import { deleteWebhook } from '../../src/services/webhook/webhook-commands.ts'
import { eventually } from '../worker/fixtures.ts'
import { createWebhookWorld, type Receiver, startReceiver, verified } from './webhook-world.ts'

const EVENTS = { eventTypes: ['appEnv.updated'] }

let world: Awaited<ReturnType<typeof createWebhookWorld>>
let receiver: Receiver

beforeAll(async () => {
  world = await createWebhookWorld()
  world.startWorker()
})
afterAll(() => world?.end())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  for (const { id: webhookId } of await world.database.webhook.findMany())
    await world.perform(deleteWebhook, { webhookId })
  receiver.close()
})

test('a failed attempt is in the log of deliveries with the beginning of the answer', async () => {
  const { webhookId } = await world.webhook(receiver, EVENTS)
  receiver.behave((_received, response) => response.writeHead(503).end(`no\u0000${'x'.repeat(5000)}`))
  await world.happen({ number: 1 })
  const [delivery] = await eventually(
    () => world.deliveriesOf(webhookId),
    ([one]) => (one?.attempts ?? 0) > 0,
  )
  expect(delivery).toMatchObject({ answerStatus: 503, error: 'Answered 503', eventType: 'appEnv.updated' })
  expect(delivery?.answer).toMatch(/^nox{1000,1022}$/)
  const webhook = await world.database.webhook.findUniqueOrThrow({ where: { id: webhookId } })
  expect(webhook.failingSince).not.toBeNull()
})

test('each attempt of a delivery is in its log', async () => {
  const { webhookId } = await world.webhook(receiver, EVENTS)
  const answers = [503, 500, 204]
  receiver.behave((_received, response) => response.writeHead(answers.shift() ?? 204).end())
  await world.happen({ number: 1 })
  const [delivery] = await world.ended(webhookId, 1)
  const caller = await world.services.authenticate(world.adminToken)
  const attempts = await world.services.all(
    listWebhookAttempts,
    { caller, requestId: 'req_1' },
    { deliveryId: delivery?.id ?? '' },
  )
  expect(attempts).toMatchObject([
    { number: 3, delivered: true, answerStatus: 204, error: null },
    { number: 2, delivered: false, answerStatus: 500, error: 'Answered 500' },
    { number: 1, delivered: false, answerStatus: 503, error: 'Answered 503' },
  ])
  expect(attempts.every(({ durationMs }) => durationMs >= 0)).toBe(true)
})

test('a test event reaches its webhook alone, once, beside what waits, and the call says what came of it', async () => {
  const other = await startReceiver()
  const { webhookId, secret } = await world.webhook(receiver, EVENTS)
  await world.webhook(other, { eventTypes: ['appEnv.updated', 'webhook.tested'] })
  receiver.behave((received, response) =>
    response.writeHead(verified(secret, received).type === 'webhook.tested' ? 204 : 500).end(),
  )
  await world.happen({ number: 1 })
  const works = await world.perform(testWebhook, { webhookId }, { waitSeconds: 30 })
  expect(works).toMatchObject({ status: 'DELIVERED', answerStatus: 204, error: null })
  expect(receiver.received.filter(({ id }) => id === works.deliveryId)).toHaveLength(1)
  expect(other.received.map(({ body }) => JSON.parse(body).type)).not.toContain('webhook.tested')
  other.close()
})

test('a test that fails is not repeated, and does not count as a failure of the webhook', async () => {
  const { webhookId } = await world.webhook(receiver, EVENTS)
  receiver.behave((_received, response) => response.writeHead(410).end())
  const fails = await world.perform(testWebhook, { webhookId }, { waitSeconds: 30 })
  expect(fails).toMatchObject({ status: 'FAILED', answerStatus: 410, error: 'Answered 410' })
  const row = await world.database.webhook.findUniqueOrThrow({ where: { id: webhookId } })
  expect(row).toMatchObject({ isEnabled: true, failingSince: null })
  const [delivery] = await world.deliveriesOf(webhookId)
  expect(delivery).toMatchObject({ id: fails.deliveryId, attempts: 1 })
})
