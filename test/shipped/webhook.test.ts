import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from './support/eventually.ts'
import { EXCEPTIONS } from './support/exceptions.ts'
import { programImage } from './support/images.ts'
import { sharedBerth } from './support/shared-berth.ts'

const received: { headers: Record<string, string>; body: string }[] = []
const receiver = createServer(async (request, response) => {
  received.push({ headers: request.headers as Record<string, string>, body: await text(request) })
  response.writeHead(204).end()
})

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
})
afterAll(() => receiver.close())

test('a webhook gets the events of a deployment in their order, signed', async () => {
  const [berth, image] = await Promise.all([sharedBerth(EXCEPTIONS), programImage('1')])
  const accountId = await berth.accountId()
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const { secret } = await berth.post('/account/webhook', { accountId, name: 'Receiver', url })
  const { appEnvId } = await berth.runImage(image)
  const verifier = new Webhook(secret)
  const got = () =>
    received.map(({ headers, body }) => verifier.verify(body, headers) as { type: string; data: { appEnvId: string } })
  const ofTheEnvironment = () => got().filter(({ data }) => data.appEnvId === appEnvId)
  const events = await eventually('the deployment is delivered', ofTheEnvironment, (all) =>
    all.some(({ type }) => type === 'operation.succeeded'),
  )
  const order = events.map(({ type }) => type).filter((type) => /^operation\.(queued|started|succeeded)$/.test(type))
  expect(order.at(0)).toBe('operation.queued')
  expect(order.at(-1)).toBe('operation.succeeded')
  expect(() =>
    new Webhook('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA').verify(received[0]?.body ?? '', received[0]?.headers ?? {}),
  ).toThrow()
})
