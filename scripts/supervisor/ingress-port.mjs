import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * The setting of the ingress's port, if the system is to choose it (0). The supervisor has it chosen once: so the API,
 * in another process, can name it in addresses, and an ingress that is started again has the same one.
 */
export async function chosenIngressPort({ INGRESS_PORT, BERTH_INGRESS_HOST, HOST }) {
  if (INGRESS_PORT?.trim() !== '0') return {}
  const server = createServer().listen(0, BERTH_INGRESS_HOST?.trim() || HOST?.trim() || '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return { INGRESS_PORT: `${port}` }
}
