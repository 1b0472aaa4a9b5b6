import { z } from 'zod'
import { EXAMPLE_TIME, exampleId } from '../../../calls/examples.ts'
import { text, time } from '../../../calls/field.ts'
import { eventType } from '../../../services/event/event-fields.ts'
import { EVENT_PAYLOADS } from '../../../services/webhook/event-payloads.ts'
import { pascalCase } from './names.ts'
import type { JsonSchema, SchemaCollection } from './openapi-schemas.ts'

type EventType = keyof typeof EVENT_PAYLOADS

/** Headers of every delivery, by Standard Webhooks. */
export const webhookParameters: Record<string, JsonSchema> = {
  WebhookId: header('webhook-id', 'Id of the delivery, the same with every attempt: a repeat is known by it.', {
    example: exampleId('dlv'),
  }),
  WebhookTimestamp: header('webhook-timestamp', 'Time of the attempt in seconds since 1970; part of what is signed.', {
    example: '1795253400',
  }),
  WebhookSignature: header(
    'webhook-signature',
    'Signature of id, timestamp and body with the secret of the webhook: `v1,` and Base64. Two, with a blank between them, after the secret was rotated.',
    { example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=' },
  ),
}

function header(name: string, description: string, { example }: { example: string }): JsonSchema {
  return { name, in: 'header', description, required: true, schema: { type: 'string' }, example }
}

/** Answers of receivers. */
export const webhookResponses: Record<string, JsonSchema> = {
  EventReceived: { description: 'The event is received.' },
  ReceiverGone: { description: 'The receiver is gone for good: Berth switches the webhook off.' },
  EventNotReceived: {
    description:
      'Any other status: the event is sent again later, not before the time in Retry-After. Redirects are not followed.',
  },
}

const responses = {
  '2XX': { $ref: '#/components/responses/EventReceived' },
  410: { $ref: '#/components/responses/ReceiverGone' },
  default: { $ref: '#/components/responses/EventNotReceived' },
}

/** Requests that Berth sends to receivers of the kind WEBHOOK: one for each type of event. */
export function webhooksOf(collection: SchemaCollection): Record<string, JsonSchema> {
  const about = collection.output(eventSubject)
  const types = Object.keys(EVENT_PAYLOADS) as EventType[]
  return Object.fromEntries(types.map((type) => [type, { post: deliveryOf(type, about, collection) }]))
}

function deliveryOf(type: EventType, about: JsonSchema, collection: SchemaCollection): JsonSchema {
  const name = pascalCase(type)
  const description = eventType.values[type]
  const schema = collection.add(`${name}Event`, description, {
    type: 'object',
    properties: {
      type: { type: 'string', const: type, description: 'Type of the event.' },
      timestamp: collection.output(time),
      data: { allOf: [about, payloadOf(type, collection)], description: 'Subject of the event, and its details.' },
    },
    required: ['type', 'timestamp', 'data'],
  })
  return {
    operationId: `on${name}`,
    summary: `Event ${type}`,
    description,
    tags: ['Webhooks'],
    security: [],
    parameters: Object.keys(webhookParameters).map((one) => ({ $ref: `#/components/parameters/${one}` })),
    requestBody: { required: true, content: { 'application/json': { schema, example: exampleOf(type) } } },
    responses,
  }
}

const payloadOf = (type: EventType, collection: SchemaCollection): JsonSchema => ({
  type: 'object',
  properties: { payload: collection.output(EVENT_PAYLOADS[type].type.describe('Details of the event.')) },
  required: ['payload'],
})

const labels = z.record(z.string(), z.string()).nullable()

/** Open, because the payload of each type stands beside it. */
const eventSubject = z
  .looseObject({
    accountId: text.describe('Id of the account that the event is of.'),
    appId: text.nullable().describe('Id of the app that the event is about; null where it is about none.'),
    appEnvId: text.nullable().describe('Id of the environment that the event is about; null where it is about none.'),
    appLabels: labels.describe('Labels of the app when the event is sent; null where the event is about none.'),
    appEnvLabels: labels.describe(
      'Labels of the environment when the event is sent; null where the event is about none.',
    ),
    operationId: text.nullable().describe('Id of the operation that the event is about; null where it is about none.'),
    cursor: text.describe('Position of the event in the sequence of the account.'),
  })
  .meta({ id: 'EventSubject', description: 'What an event is about.' })

function exampleOf(type: EventType): JsonSchema {
  const isOfApp = /^(app|appEnv|host|volume\.filling|operation|jobRun|jobSchedule)\b/.test(type)
  const isOfAppEnv = isOfApp && !type.startsWith('app.')
  return {
    type,
    timestamp: EXAMPLE_TIME,
    data: {
      accountId: exampleId('acc'),
      appId: isOfApp ? exampleId('app') : null,
      appEnvId: isOfAppEnv ? exampleId('env') : null,
      appLabels: isOfApp ? { team: 'checkout' } : null,
      appEnvLabels: isOfAppEnv ? {} : null,
      operationId: type.startsWith('operation.') ? exampleId('op') : null,
      cursor: '4711',
      payload: EVENT_PAYLOADS[type].example,
    },
  }
}
