import { type Fixture, UNKNOWN } from './fixture.ts'
import { mutation } from './fragments.ts'

const unknown = { webhookId: `hook_${UNKNOWN}` }
const unknownDelivery = { deliveryId: `dlv_${UNKNOWN}` }

const request = ({ accountId }: Fixture, fields: Record<string, unknown> = {}) => ({
  accountId,
  name: 'Receiver',
  url: 'https://receiver.example.com/hooks?key=1',
  ...fields,
})

/** Webhooks that no worker delivers to. */
export async function restWebhooks(fixture: Fixture): Promise<void> {
  const { rest, accountId } = fixture
  const eventTypes = ['operation.failed', 'webhook.disabled']
  const { webhookId } = (await rest('create one', 'POST /account/webhook', request(fixture, { eventTypes }))).body
  await rest('create a chat', 'POST /account/webhook', request(fixture, { kind: 'SLACK' }))
  await rest('create one on a private address', 'POST /account/webhook', request(fixture, { url: 'https://10.0.0.1' }))
  const mail = { accountId, kind: 'EMAIL', name: 'People', recipients: ['ada@example.com'] }
  await rest('create e-mail without a server', 'POST /account/webhook', mail)
  await rest('create one as TECHNICAL', 'POST /account/webhook', request(fixture), { as: 'technical' })
  await rest('read it', 'GET /account/webhook', { webhookId })
  await rest('read an unknown one', 'GET /account/webhook', unknown)
  await rest('list them', 'GET /account/webhooks', { accountId })
  await rest('list them as a stranger', 'GET /account/webhooks', { accountId }, { as: 'stranger' })
  const change = { webhookId, name: 'Other', url: 'https://other.example.com/' }
  await rest('change it', 'PUT /account/webhook', change, { headers: { 'if-match': '"v1"' } })
  await rest('change it at an old version', 'PUT /account/webhook', change, { headers: { 'if-match': '"v1"' } })
  await rest('rotate its secret', 'POST /account/webhook/rotate-secret', { webhookId })
  await rest('rotate an unknown secret', 'POST /account/webhook/rotate-secret', unknown)
  const deliveryId = await fixture.endDelivery(webhookId)
  await rest('list its deliveries', 'GET /account/webhook/deliveries', { webhookId, status: 'FAILED' })
  await rest('list unknown deliveries', 'GET /account/webhook/deliveries', unknown)
  await rest('read a delivery', 'GET /account/webhook/delivery', { deliveryId })
  await rest('read an unknown delivery', 'GET /account/webhook/delivery', unknownDelivery)
  await rest('list its attempts', 'GET /account/webhook/delivery/attempts', { deliveryId })
  await rest('list attempts of an unknown delivery', 'GET /account/webhook/delivery/attempts', unknownDelivery)
  await rest('test it', 'POST /account/webhook/test', { webhookId })
  await rest('test an unknown one', 'POST /account/webhook/test', unknown)
  await rest('redeliver', 'POST /account/webhook/delivery/redeliver', { deliveryId })
  await rest('redeliver an unknown delivery', 'POST /account/webhook/delivery/redeliver', unknownDelivery)
  await rest('delete it', 'DELETE /account/webhook', { webhookId })
  await rest('delete it again', 'DELETE /account/webhook', { webhookId })
}

export async function graphqlWebhooks(fixture: Fixture): Promise<void> {
  const { graphql, accountId } = fixture
  const fields = 'webhook { ...Webhook } secret'
  const create = mutation('createWebhook', fields)
  const { body } = await graphql('create one', create, {
    input: request(fixture, { eventTypes: ['OPERATION_FAILED'] }),
  })
  const webhookId = body.data.createWebhook.webhook.id
  await graphql('create one without a URL', create, { input: { accountId, name: 'Receiver' } })
  const read = 'query ($id: ID!) { webhook(id: $id) { ...Webhook } }'
  await graphql('read it', read, { id: webhookId })
  await graphql('read an unknown one', read, { id: unknown.webhookId })
  const list =
    'query ($accountId: ID) { webhooks(accountId: $accountId) { nodes { ...Webhook } pageInfo { ...Page } } }'
  await graphql('list them', list, { accountId })
  await graphql('list them as a stranger', list, { accountId }, { as: 'stranger' })
  const update = mutation('updateWebhook', 'webhook { ...Webhook }')
  await graphql('change it', update, { input: { webhookId, enabled: false, expectedVersion: 1 } })
  await graphql('change it at an old version', update, { input: { webhookId, enabled: true, expectedVersion: 1 } })
  const rotate = mutation('rotateWebhookSecret', fields)
  await graphql('rotate its secret', rotate, { input: { webhookId } })
  await graphql('rotate an unknown secret', rotate, { input: unknown })
  const deliveryId = await fixture.endDelivery(webhookId)
  const deliveries =
    'query ($id: ID!) { webhookDeliveries(webhookId: $id, status: FAILED) { nodes { ...WebhookDelivery } pageInfo { ...Page } } }'
  await graphql('list its deliveries', deliveries, { id: webhookId })
  await graphql('list unknown deliveries', deliveries, { id: unknown.webhookId })
  const delivery = 'query ($id: ID!) { webhookDelivery(id: $id) { ...WebhookDelivery } }'
  await graphql('read a delivery', delivery, { id: deliveryId })
  await graphql('read an unknown delivery', delivery, { id: unknownDelivery.deliveryId })
  const attempts = 'query ($id: ID!) { webhookAttempts(deliveryId: $id) { ...WebhookAttempt } }'
  await graphql('list its attempts', attempts, { id: deliveryId })
  await graphql('list attempts of an unknown delivery', attempts, { id: unknownDelivery.deliveryId })
  const testing = mutation('testWebhook', 'deliveryId status durationMs answerStatus error')
  await graphql('test it while it is off', testing, { input: { webhookId } })
  await graphql('test an unknown one', testing, { input: unknown })
  const redeliver = mutation('redeliverWebhookDelivery', 'delivery { ...WebhookDelivery }')
  await graphql('redeliver while it is off', redeliver, { input: { deliveryId } })
  await graphql('enable it', update, { input: { webhookId, enabled: true } })
  await graphql('test it', testing, { input: { webhookId } })
  await graphql('redeliver', redeliver, { input: { deliveryId } })
  const remove = mutation('deleteWebhook', 'message')
  await graphql('delete it', remove, { input: { webhookId } })
  await graphql('delete it again', remove, { input: { webhookId } })
}
