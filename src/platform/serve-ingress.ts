import { createIngressFacts, schemaReadiness } from '../storage/database/schema-readiness.ts'
import type { RoleContext, Served } from './role-context.ts'
import { startIngress } from './roles/start-ingress.ts'
import { siblingPart } from './sibling-parts.ts'
import { watchRights } from './watch-rights.ts'

/** An ingress alone must start, and route from its last table, while the database is down: it queries nothing here. */
export async function serveIngress(context: RoleContext): Promise<Served> {
  const { port: ingressPort, knowsHost } = await startIngress(context)
  const facts = createIngressFacts(context.databaseUrl)
  context.readiness.schema = { isRequired: false, check: () => schemaReadiness(facts) }
  watchRights(context, async () => (await facts()).missing)
  reportOtherProcess(context)
  if (context.config.BERTH_HEALTH_PORT !== 0)
    await (await import('./roles/start-health.ts')).startHealth(context, knowsHost)
  return { ingressPort, engine: null, engineProblem: null, installationId: null }
}

/** Requests to running apps need none of it, so none of it makes the ingress unready. */
function reportOtherProcess({ link, config, readiness }: RoleContext): void {
  if (!link) return
  const isWorkerElsewhere = link.isElsewhere('worker', config)
  if (isWorkerElsewhere || link.isElsewhere('api', config)) readiness.database = siblingPart(link, 'database', false)
  if (!isWorkerElsewhere) return
  readiness.worker = siblingPart(link, 'worker', false)
  readiness.tasks = siblingPart(link, 'tasks', false)
  readiness.engine = siblingPart(link, 'engine', false)
  readiness.builder = siblingPart(link, 'builder', false)
  // Where it is off, the worker has no such part.
  if (config.BERTH_HOST_FIREWALL !== 'off') readiness.hostFirewall = siblingPart(link, 'hostFirewall', false)
}
