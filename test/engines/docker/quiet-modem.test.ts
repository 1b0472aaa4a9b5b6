import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, connect } from '../../../src/engines/docker/connection.ts'

const engineServer = createServer((_request, response) => response.end('{}'))

beforeAll(() => new Promise<void>((resolve) => engineServer.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => engineServer.close(resolve)))

test('a call to the engine does not walk the objects behind its signal', async () => {
  const { port } = engineServer.address() as AddressInfo
  const engine = connect({ dockerHost: `tcp://127.0.0.1:${port}`, installationId: 'ins_test' })
  const call = new AbortController()
  let walks = 0
  // Stands for a busy process: whoever inspects the signal in depth reads this property.
  const visited = () => {
    walks += 1
    return 'the heap'
  }
  const heap = { [inspect.custom]: visited }
  Object.assign(call.signal, { heap })
  await ask(engine, { path: '/version', signal: call.signal })
  expect(walks).toBe(0)
})
