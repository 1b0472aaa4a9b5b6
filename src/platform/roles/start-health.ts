import { createHealthServer, type KnowsHost } from '../../api/server/health-server.ts'
import { listen } from '../../api/server/listen.ts'
import { onPort } from '../ports.ts'
import type { RoleContext } from '../role-context.ts'

/** The internal listener, when the setting names a port for it. */
export async function startHealth(context: RoleContext, knowsHost?: KnowsHost): Promise<void> {
  const { config, readiness, processRegistration, undo } = context
  const port = config.BERTH_HEALTH_PORT
  if (port === 0) return
  const api = createHealthServer(readiness, knowsHost)
  const listening = await onPort(context, 'BERTH_HEALTH_PORT', () => listen({ api, host: config.HOST, port }))
  undo.defer(() => listening.close())
  processRegistration.about.ports.push(port)
}
