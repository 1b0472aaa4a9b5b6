import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { chosenIngressPort } from '../../scripts/supervisor/ingress-port.mjs'

test('a port is chosen for the ingress only where the system is to choose one', async () => {
  expect(await chosenIngressPort({})).toEqual({})
  expect(await chosenIngressPort({ INGRESS_PORT: '8080' })).toEqual({})
  const { INGRESS_PORT } = await chosenIngressPort({ INGRESS_PORT: '0' })
  const server = createServer().listen(Number(INGRESS_PORT), '127.0.0.1')
  await once(server, 'listening')
  server.close()
})
