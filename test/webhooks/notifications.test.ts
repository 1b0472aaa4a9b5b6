import { afterAll, beforeAll, expect, test } from 'vitest'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { createWebhook, rotateWebhookSecret } from '../../src/services/webhook/webhook-commands.ts'
import { NOTICE_TYPES, noticeOf } from '../../src/storage/events/notices.ts'
import { record } from '../../src/storage/events/record.ts'
import { eventually } from '../worker/fixtures.ts'
import { startSmtpServer } from './smtp-server.ts'
import { createWebhookWorld, type Receiver, startReceiver } from './webhook-world.ts'

let smtp: Awaited<ReturnType<typeof startSmtpServer>>
let world: Awaited<ReturnType<typeof createWebhookWorld>>
const receivers: Receiver[] = []

beforeAll(async () => {
  smtp = await startSmtpServer()
  world = await createWebhookWorld({ BERTH_SMTP_URL: smtp.url, BERTH_SMTP_FROM: 'berth@example.com' })
  world.startWorker()
})
afterAll(async () => {
  await world?.end()
  smtp.close()
  for (const receiver of receivers) receiver.close()
})

async function chat() {
  const receiver = await startReceiver()
  receivers.push(receiver)
  return receiver
}

/** Deploys, and ends the deployment. */
async function deploy(appEnvId: string, outcome: 'SUCCEEDED' | 'FAILED') {
  const { operationId } = await world.perform(deployImage, { appEnvId, image: 'nginx:1' })
  await world.endOperation(operationId, outcome)
}

const bodies = (receiver: Receiver, count: number) =>
  eventually(
    async () => receiver.received.map(({ body }) => JSON.parse(body)),
    (all) => all.length >= count,
  )

test('chats are told of a deployment that failed and of the recovery, and of no other success', async () => {
  const [slack, discord] = [await chat(), await chat()]
  await world.webhook(slack, { kind: 'SLACK' })
  await world.webhook(discord, { kind: 'DISCORD' })
  const { appEnvId } = await world.appEnv({ app: { name: 'Shop <b>' } })
  const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  for (const outcome of ['SUCCEEDED', 'FAILED', 'SUCCEEDED', 'SUCCEEDED', 'FAILED'] as const)
    await deploy(appEnvId, outcome)
  const [failed, recovered, again, ...more] = await bodies(slack, 3)
  expect(failed).toEqual({ text: expect.stringContaining(`*Deploy image of ${cliEnvName} failed*\n`) })
  expect(recovered).toEqual({ text: expect.stringContaining(`*${cliEnvName} has recovered*\n`) })
  expect([again, more]).toEqual([failed, []])
  const [first] = await bodies(discord, 3)
  expect(first).toEqual({
    content: expect.stringContaining(`**Deploy image of ${cliEnvName} failed**\n`),
    allowed_mentions: { parse: [] },
  })
  expect(Object.keys(slack.received[0]?.headers ?? {})).not.toContain('webhook-signature')
})

test('an e-mail that the server refuses is sent again, with the same Message-ID', async () => {
  const { webhookId, secret, address } = await world.perform(createWebhook, {
    accountId: world.accountId,
    kind: 'EMAIL',
    name: 'Operators',
    recipients: ['ada@example.com', 'bob@example.com'],
    eventTypes: ['volume.filling'],
  })
  expect([secret, address]).toEqual([null, 'ada@example.com, bob@example.com'])
  smtp.refuse('451 4.3.0 later')
  const { appEnvId, appId } = await world.appEnv()
  const payload = { volumeId: 'vol_1', percent: 95, usedMb: 950, diskMb: 1000 }
  await world.database.$transaction((tx) =>
    record(tx, world.accountId, [{ type: 'volume.filling', appId, appEnvId, payload }]),
  )
  const [delivery] = await eventually(
    () => world.deliveriesOf(webhookId),
    ([one]) => (one?.attempts ?? 0) > 0,
  )
  expect(delivery).toMatchObject({ status: 'PENDING', error: 'The mail server answered 451' })
  smtp.refuse(null)
  await eventually(
    () => world.deliveriesOf(webhookId),
    ([one]) => one?.status === 'DELIVERED',
  )
  expect(smtp.messages).toHaveLength(1)
  const [message] = smtp.messages
  expect(message).toContain(`Message-ID: <${delivery?.id}@example.com>`)
  expect(message).toMatch(/^Subject: The volume of .* is 95 % full$/m)
  expect(message).toMatch(/^To: ada@example.com, bob@example.com$/m)
  expect(message).toContain('It holds 950 of 1000 MB')
})

test.each([
  [{ kind: 'EMAIL' }, 'recipients'],
  [{ kind: 'EMAIL', recipients: ['ada@example.com'], url: 'https://example.com' }, 'url'],
  [{ kind: 'SLACK' }, 'url'],
  [{ kind: 'SLACK', url: 'https://example.com', recipients: ['ada@example.com'] }, 'recipients'],
  [{ kind: 'DISCORD', url: 'https://example.com', eventTypes: ['operation.failed', 'app.created'] }, 'eventTypes.1'],
])('%j is refused for its %s', async (fields, field) => {
  const asked = world.perform(createWebhook, { accountId: world.accountId, name: 'Wrong', ...fields })
  await expect(asked).rejects.toMatchObject({ code: 'INVALID_INPUT', details: { fields: [{ field }] } })
})

test('a chat shows no more of its address than the host, and has no secret to rotate', async () => {
  const { webhookId, address, secret } = await world.webhook(await chat(), { kind: 'SLACK' })
  expect([address, secret]).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.2:\d+\/…$/), null])
  await expect(world.perform(rotateWebhookSecret, { webhookId })).rejects.toMatchObject({ reason: 'NO_WEBHOOK_SECRET' })
})

test('every type of event that can be chosen has words', () => {
  const told = { envName: 'shop-production', hasRecovered: true }
  for (const type of NOTICE_TYPES)
    expect(noticeOf({ type, payload: {} }, told)).toEqual({ title: expect.any(String), text: expect.any(String) })
  expect(noticeOf({ type: 'app.created', payload: {} }, told)).toBeNull()
  expect(noticeOf({ type: 'host.changed', payload: { what: 'added' } }, told)).toBeNull()
})
