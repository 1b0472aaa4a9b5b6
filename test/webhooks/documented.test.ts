import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/api/rest/openapi/openapi.ts'
import { eventType } from '../../src/services/event/event-fields.ts'
import { createWebhookWorld, type Receiver, startReceiver, verified } from './webhook-world.ts'

// What a receiver gets is what the section `webhooks` of the OpenAPI document says.

interface Webhook {
  post: { requestBody: { content: Record<string, { schema: { $ref: string } }> }; parameters: { $ref: string }[] }
}

const document = openApiDocument() as {
  webhooks: Record<string, Webhook>
  components: { parameters: Record<string, { name: string; required: boolean }> }
}
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi')

/** What is wrong with a body of this type of event. */
function problemsOf(type: string, body: object): unknown {
  const { $ref } = document.webhooks[type]?.post.requestBody.content['application/json']?.schema ?? { $ref: '' }
  const validate = ajv.getSchema(`openapi${$ref}`)
  if (!validate) throw new Error(`No schema for ${type}`)
  return validate(body) ? [] : validate.errors
}

let world: Awaited<ReturnType<typeof createWebhookWorld>>
let receiver: Receiver

beforeAll(async () => {
  world = await createWebhookWorld()
})
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())
afterAll(() => world.end())

describe('the webhooks of the OpenAPI document', () => {
  test('are all types of events', () => {
    expect(Object.keys(document.webhooks)).toEqual(Object.keys(eventType.values))
  })

  test('have the bodies and the headers of what is delivered', async () => {
    const { webhookId, secret } = await world.webhook(receiver)
    const { appEnvId } = await world.appEnv()
    await world.deploy(appEnvId)
    world.startWorker()
    const delivered = await world.ended(webhookId, 6)
    const events = receiver.received.map((one) => ({ ...verified(secret, one), headers: one.headers }))
    expect(events.length).toBeGreaterThanOrEqual(delivered.length)
    const types = new Set(events.map(({ type }) => type))
    for (const type of ['app.created', 'appEnv.created', 'operation.queued', 'appEnv.statusChanged'])
      expect(types).toContain(type)
    for (const { headers, ...body } of events) {
      expect(problemsOf(body.type, body), JSON.stringify(body)).toEqual([])
      for (const { $ref } of document.webhooks[body.type]?.post.parameters ?? [])
        expect(headers).toHaveProperty(document.components.parameters[$ref.split('/').at(-1) ?? '']?.name ?? '?')
    }
  })

  test('refuse another payload', () => {
    const data = {
      accountId: 'acc_1',
      appId: null,
      appEnvId: null,
      operationId: null,
      cursor: '1',
      payload: { kind: 1 },
    }
    const body = { type: 'operation.queued', timestamp: '2026-11-20T09:30:00.000Z', data }
    expect(problemsOf('operation.queued', body)).not.toEqual([])
  })
})
