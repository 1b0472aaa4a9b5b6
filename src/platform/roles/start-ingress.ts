import type { KnowsHost } from '../../api/server/health-server.ts'
import { ingressHost, urlHost } from '../../domain/listen-address.ts'
import type { PartState } from '../../domain/part-states.ts'
import { RouteSource } from '../../ingress/routes/route-source.ts'
import { TcpIngress } from '../../ingress/tcp/tcp-ingress.ts'
import { isIngressDivided } from '../data-dir.ts'
import { readDescriptorLimit, shareDescriptors } from '../descriptor-limit.ts'
import { IngressProcesses } from '../ingress-processes/ingress-processes.ts'
import { DRAIN_SECONDS } from '../ingress-processes/messages.ts'
import { ProcessesRegistry } from '../ingress-processes/processes-registry.ts'
import { createHttpIngress, reportProblemOf } from '../ingress-processes/serve-http.ts'
import { onPort } from '../ports.ts'
import type { RoleContext } from '../role-context.ts'

export async function startIngress(context: RoleContext): Promise<{ port: number; knowsHost: KnowsHost }> {
  const { config, log, dataDir, databaseUrl, registry, readiness, processRegistration, undo } = context
  const source = new RouteSource({ databaseUrl, dataDirectory: dataDir, log })
  undo.defer(() => source.stop())
  await source.start()
  const { tcp } = shareDescriptors(readDescriptorLimit(), config)
  const http = await (isIngressDivided(config) ? startProcesses(context) : startHere(context, source))
  const tcpIngress = new TcpIngress({ config, source, log, registry, capacity: tcp })
  undo.defer(async () => {
    await Promise.all([http.close(), tcpIngress.close(DRAIN_SECONDS)])
  })
  readiness.ingress = {
    isRequired: true,
    check: () => {
      const reason = http.problem() ?? (source.isReady() ? null : 'has no routes yet')
      return reason === null ? { ready: true, reason } : { ready: false, state: 'STARTING', reason }
    },
  }
  // Apps that are awake need none of them.
  readiness.requestReports = { isRequired: false, check: () => reportsPart(http.reportProblem()) }
  readiness.externalPorts = {
    isRequired: false,
    check: () => inWords(tcpIngress.problems()),
  }
  const { port } = http
  processRegistration.about.ports.push(port)
  processRegistration.about.ingressUrl = config.BERTH_INGRESS_URL ?? `http://${urlHost(ingressHost(config))}:${port}`
  return { port, knowsHost: (host) => (source.table?.find(host) ?? null) !== null }
}

interface HttpIngress {
  port: number
  /** Why no connection is taken; null when they are. */
  problem(): string | null
  /** Why requests for apps that sleep cannot be reported; null when they can. */
  reportProblem(): string | null
  close(): Promise<void>
}

async function startHere(context: RoleContext, source: RouteSource): Promise<HttpIngress> {
  const { config, log, databaseUrl, registry } = context
  if (config.BERTH_INGRESS_PROCESSES > 1)
    log.warn('BERTH_INGRESS_PROCESSES has no effect on an ingress that shares its process with other roles')
  const { ingress: capacity } = shareDescriptors(readDescriptorLimit(), config)
  const ingress = createHttpIngress({ config, databaseUrl, source, log, registry, capacity })
  await onPort(context, 'INGRESS_PORT', () => ingress.listen())
  return {
    port: ingress.address().port,
    problem: () => null,
    reportProblem: () => reportProblemOf(ingress),
    close: () => ingress.close(DRAIN_SECONDS),
  }
}

async function startProcesses(context: RoleContext): Promise<HttpIngress> {
  const { config, log, dataDir, databaseUrl } = context
  const processes = new IngressProcesses({ dataDir, databaseUrl }, log)
  if (context.registry instanceof ProcessesRegistry) context.registry.follow(processes)
  const port = await onPort(context, 'INGRESS_PORT', () => processes.start(config.BERTH_INGRESS_PROCESSES))
  const problem = () => (processes.ready > 0 ? null : 'none of its processes is ready')
  return { port, problem, reportProblem: () => processes.reportProblem, close: () => processes.stop() }
}

const MAX_NAMED = 10

function reportsPart(problem: string | null): PartState {
  if (problem === null) return { ready: true, reason: null }
  return {
    ready: false,
    state: 'REPORTS_FAILING',
    reason: `Requests cannot be reported, so nothing is woken: ${problem}`,
  }
}

function inWords(problems: string[]): PartState {
  const more = problems.length - MAX_NAMED
  const named = [...problems.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])]
  if (problems.length === 0) return { ready: true, reason: null }
  return { ready: false, state: 'PORT_TAKEN', reason: named.join(', ') }
}
