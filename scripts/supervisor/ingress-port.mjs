import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * The setting of the ingress's port, if the system is to choose it (0). The supervisor has it chosen once: so the API,
 * in another process, can name it in addresses, and an ingress that is started again has the same one.
 */
export async function chosenIngressPort({ INGRESS_PORT, HOST }) {
  if (INGRESS_PORT?.trim() !== '0') return {}
  const server = createServer().listen(0, HOST?.trim() || '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return { INGRESS_PORT: `${port}` }
}
