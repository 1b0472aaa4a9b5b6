import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPorts } from '../support/exposing-image.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'

/** Listens where $LISTEN says, as JSON: port, address and delay of each; answers 200. */
const PROGRAM = `
const { createServer } = require('node:http')
for (const { afterMs = 0, ...where } of JSON.parse(process.env.LISTEN)) {
  setTimeout(() => createServer((_, response) => response.end()).listen(where), afterMs)
}
setInterval(() => {}, 1000)
console.log('started')
process.on('SIGTERM', () => process.exit(0))`

interface Listener {
  port: number
  host?: string
  afterMs?: number
  ipv6Only?: boolean
}

const DECLARES_8080 = 'berth-test-declares:1'

let harbour: Harbour

beforeAll(async () => {
  harbour = await createHarbour()
  harbour.startWorker()
  await addPorts(harbour.docker, harbour.image, DECLARES_8080, ['8080'])
})

afterAll(async () => {
  await harbour?.close()
  await harbour?.docker.getImage(DECLARES_8080).remove({ force: true })
})

async function deployed(listeners: Listener[], image = harbour.image) {
  const appEnvId = await harbour.sample({
    startupConfig: { command: 'node', args: ['-e', PROGRAM], shell: false },
    envVars: [{ name: 'LISTEN', value: JSON.stringify(listeners) }],
  })
  return { appEnvId, operationId: await harbour.deployment(appEnvId, image) }
}

const contentOf = (appEnvId: string) => harbour.database.content.findFirstOrThrow({ where: { appEnvId } })

test.concurrent.each([
  ['its loopback only', [{ port: 3000, host: '127.0.0.1' }], 'listens on 127.0.0.1:3000 only; listen on 0.0.0.0'],
  [
    'IPv6 only',
    [{ port: 3000, host: '::', ipv6Only: true }],
    'listens on [::]:3000 only, and there by IPv6 alone, which its container has not; listen on 0.0.0.0',
  ],
  [
    'the port that its image declares',
    [{ port: 8080 }],
    "listens on 8080, not 3000; listen on $PORT, or set the app's port to 8080",
  ],
])('a version that listens on %s fails long before its time is up', async (_, listeners, words) => {
  const { appEnvId, operationId } = await deployed(listeners, DECLARES_8080)
  const operation = await harbour.ended(operationId)
  expect(operation).toMatchObject({ status: 'FAILED', reason: 'LISTENS_ELSEWHERE' })
  expect(operation.message).toBe(`Container 0 ${words}\nstarted`)
  expect(await contentOf(appEnvId)).toMatchObject({ status: 'FAILED', message: operation.message })
})

test.concurrent('a version that opens another port first says so at once, and is waited for', async () => {
  const { appEnvId, operationId } = await deployed([{ port: 9090 }, { port: 3000, afterMs: 14_000 }])
  const words = "Not ready yet: container 0 listens on 9090, not 3000; listen on $PORT, or set the app's port to 9090"
  const read = async () => [await harbour.operation(operationId), await contentOf(appEnvId)] as const
  const [waiting, content] = await eventually(read, (both) => both.every(({ message }) => message === words))
  expect(waiting).toMatchObject({ status: 'RUNNING', reason: null, message: words })
  expect(content).toMatchObject({ status: 'DEPLOYING', reason: null })
  expect(await harbour.ended(operationId)).toMatchObject({ status: 'SUCCEEDED', reason: null, message: null })
  expect(await contentOf(appEnvId)).toMatchObject({ status: 'DEPLOYED', message: null })
  const details = (await harbour.eventsOf(appEnvId)).flatMap((event) => ('detail' in event ? [event.detail] : []))
  expect(details).toContainEqual(expect.stringMatching(/^waiting: container 0 listens on 9090, not 3000/))
})

test.concurrent('a version that opens no port says that too', async () => {
  const { appEnvId } = await deployed([])
  const { message } = await eventually(
    () => contentOf(appEnvId),
    (seen) => /nothing yet/.test(seen.message ?? ''),
  )
  expect(message).toBe('Not ready yet: container 0 listens on nothing yet')
})
