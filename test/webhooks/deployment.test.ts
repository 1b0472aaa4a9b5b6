import { afterAll, beforeAll, expect, test } from 'vitest'
import { createWebhook } from '../../src/services/webhook/webhook-commands.ts'
import { createHarbour, eventually, type Harbour } from '../worker/fixtures.ts'
import { inMemory } from '../worker/harbour-engine.ts'
import { type Receiver, startReceiver, verified } from './webhook-world.ts'

let harbour: Harbour
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  harbour = await createHarbour({ BERTH_WEBHOOK_PRIVATE_HOSTS: '127.0.0.2' }, await inMemory())
  harbour.startWorker()
  harbour.startWorker()
})
afterAll(async () => {
  await harbour?.close()
  receiver.close()
})

test('a webhook gets every event of a deployment by workers that do everything else, in order', async () => {
  const { accountId, database } = harbour
  const { secret } = await harbour.perform(createWebhook, { accountId, name: 'Receiver', url: receiver.url })
  const appEnvId = await harbour.sample()
  const operationId = await harbour.deployment(appEnvId)
  expect((await harbour.ended(operationId)).status).toBe('SUCCEEDED')
  const events = await database.event.findMany({ where: { appEnvId, operationId }, orderBy: { sequence: 'asc' } })
  const got = await eventually(
    async () => {
      const all = receiver.received.map((one) => verified(secret, one))
      return all.filter(({ data }) => data.appEnvId === appEnvId && data.operationId === operationId)
    },
    (all) => all.length >= events.length,
  )
  expect(got.map(({ type, data }) => [type, data.cursor])).toEqual(
    events.map(({ type, sequence }) => [type, String(sequence)]),
  )
  expect(got.map(({ type }) => type)).toEqual(expect.arrayContaining(['operation.queued', 'operation.succeeded']))
  expect(receiver.received.map((one) => verified(secret, one).type)).toContain('webhook.changed')
})
