import { Registry } from 'prom-client'
import { readConfig } from '../../config/config.ts'
import type { Ingress } from '../../ingress/ingress.ts'
import { RouteSource } from '../../ingress/routes/route-source.ts'
import { readDescriptorLimit, shareDescriptors } from '../descriptor-limit.ts'
import { createLog } from '../log.ts'
import { type Assignment, DRAIN_SECONDS, type FromProcess, type ToProcess } from './messages.ts'
import { createHttpIngress, reportProblemOf } from './serve-http.ts'

const PROBLEMS_MS = 1_000

/**
 * One of several processes that serve the port of an ingress: begins when it gets its assignment, and ends on SIGTERM.
 */
export function runIngressProcess(): void {
  const registry = new Registry()
  let ingress: Ingress | null = null
  const begin = async (assignment: Assignment) => {
    ingress = await openIngress(assignment, registry)
    send({ type: 'ready', port: ingress.address().port })
    sendProblems(ingress)
  }
  const stop = async () => {
    await ingress?.close(DRAIN_SECONDS)
    process.exit(0)
  }
  process.on('message', async (message: ToProcess) => {
    if (message.type === 'begin') await begin(message.assignment).catch(fail)
    if (message.type === 'stop') await stop()
    if (message.type !== 'metrics') return
    const { question } = message
    send({ type: 'metrics', question, metrics: await registry.getMetricsAsJSON() })
  })
  // A terminal sends Ctrl-C to every process in its foreground; who started this one decides.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => void stop())
  send({ type: 'waiting' })
}

function sendProblems(ingress: Ingress): void {
  let sent: string | null = null
  setInterval(() => {
    const problem = reportProblemOf(ingress)
    if (problem !== sent) send({ type: 'reports', problem })
    sent = problem
  }, PROBLEMS_MS).unref()
}

async function openIngress({ dataDir, databaseUrl }: Assignment, registry: Registry): Promise<Ingress> {
  const config = readConfig({ ...process.env, BERTH_ROLES: 'ingress' })
  const log = createLog(config)
  const source = new RouteSource({ databaseUrl, dataDirectory: dataDir, log })
  await source.start()
  // External TCP ports are another process's.
  const { ingress: capacity } = shareDescriptors(readDescriptorLimit(), { ...config, BERTH_TCP_PORTS: [] })
  const ingress = createHttpIngress({ config, databaseUrl, source, log, registry, capacity })
  await ingress.listen()
  return ingress
}

function fail({ message, code }: NodeJS.ErrnoException): void {
  process.send?.({ type: 'failed', message, code } satisfies FromProcess, () => process.exit(1))
}

const send = (message: FromProcess) => process.send?.(message, undefined, undefined, () => {})
