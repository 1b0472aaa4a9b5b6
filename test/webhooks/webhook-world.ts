import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Webhook as Verifier } from 'standardwebhooks'
import { createWebhook } from '../../src/services/webhook/webhook-commands.ts'
import type { NewEvent } from '../../src/storage/events/event.ts'
import { record } from '../../src/storage/events/record.ts'
import { WebhookWorker } from '../../src/worker/webhooks/webhook-worker.ts'
import { createWorld } from '../support/world.ts'
import { eventually } from '../worker/fixtures.ts'

/** Receivers of tests are on 127.0.0.2, which is listed. Nothing may reach 127.0.0.1. */
const SETTINGS = {
  BERTH_WEBHOOK_PRIVATE_HOSTS: '127.0.0.2',
  // Long enough for a busy machine: an attempt that is late is made again.
  BERTH_WEBHOOK_TIMEOUT_SECONDS: '5',
  BERTH_WEBHOOK_RETRY_SECONDS: '1',
  BERTH_WEBHOOK_LONGEST_RETRY_SECONDS: '2',
  BERTH_WEBHOOK_ATTEMPTS: '5',
}

export interface Received {
  id: string
  headers: Record<string, string>
  body: string
}

type Behaviour = (received: Received, response: ServerResponse) => unknown

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** A receiver that answers 204 until it is told otherwise. */
export async function startReceiver(address = '127.0.0.2') {
  const received: Received[] = []
  const state: { behave: Behaviour } = { behave: (_received, response) => response.writeHead(204).end() }
  const server = createServer(async (request, response) => {
    const one = { id: String(request.headers['webhook-id']), headers: headersOf(request), body: await textOf(request) }
    received.push(one)
    state.behave(one, response)
  })
  server.listen(0, address)
  await once(server, 'listening')
  return {
    received,
    url: `http://${address}:${(server.address() as AddressInfo).port}/hooks`,
    /** From now on. */
    behave: (behaviour: Behaviour) => {
      state.behave = behaviour
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const headersOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

export interface Event {
  type: string
  timestamp: string
  data: {
    accountId: string
    appEnvId: string | null
    operationId: string | null
    cursor: string
    appLabels: Record<string, string> | null
    appEnvLabels: Record<string, string> | null
    payload: Record<string, unknown>
  }
}

/** Throws unless the standard's own library accepts it. */
export const verified = (secret: string | null, { body, headers }: Received): Event =>
  new Verifier(secret ?? '').verify(body, headers) as Event

export async function createWebhookWorld(settings: Record<string, string> = {}) {
  const all = { ...SETTINGS, ...settings }
  const world = await createWorld({ settings: all })
  const { database, config, vault, log, perform } = world
  const running = new Set<{ stop(): Promise<void> }>()
  const deliveriesOf = (webhookId: string) =>
    database.webhookDelivery.findMany({ where: { webhookId }, orderBy: { sequence: 'asc' } })

  return {
    ...world,
    /** A worker of webhooks alone, in this process. */
    startWorker(name = 'worker-here') {
      const stopping = new AbortController()
      const run = new WebhookWorker({ database, config, vault, log }, name).run(stopping.signal)
      const worker = {
        async stop() {
          running.delete(worker)
          stopping.abort()
          await run
        },
      }
      running.add(worker)
      return worker
    },
    /** The same in a process of its own, which carries out orders of fault injection. */
    spawnWorker(name: string, ordersFolder: string) {
      const given = { url: world.url, key: world.masterKey.bytes.toString('hex'), name, ordersFolder, settings: all }
      const program = fileURLToPath(new URL('webhook-process.ts', import.meta.url))
      return spawn(process.execPath, [program, JSON.stringify(given)], { stdio: ['ignore', 'inherit', 'inherit'] })
    },
    webhook: (receiver: { url: string }, fields: Record<string, unknown> = {}) =>
      perform(createWebhook, { accountId: world.accountId, name: 'Receiver', url: receiver.url, ...fields }),
    /** Records events as a command would. */
    happen: (...events: { appId?: string; appEnvId?: string; number: number }[]) =>
      database.$transaction((tx) =>
        record(
          tx,
          world.accountId,
          events.map(({ number, ...where }): NewEvent => ({ type: 'appEnv.updated', ...where, payload: { number } })),
        ),
      ),
    deliveriesOf,
    /** Waits until so many deliveries of the webhook have ended, and returns all. */
    ended: (webhookId: string, count: number) =>
      eventually(
        () => deliveriesOf(webhookId),
        (all) => all.filter(({ status }) => status !== 'PENDING').length >= count,
        30,
      ),
    async end() {
      for (const worker of [...running]) await worker.stop()
      await world.close()
    },
  }
}
