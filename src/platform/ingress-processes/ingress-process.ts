import { once } from 'node:events'
import { AggregatorRegistry, Registry } from 'prom-client'
import { readConfig } from '../../config/config.ts'
import { RouteSource } from '../../ingress/routes/route-source.ts'
import { readDescriptorLimit, shareDescriptors } from '../descriptor-limit.ts'
import { createLog } from '../log.ts'
import { DRAIN_SECONDS, type FromProcess, type ToProcess } from './messages.ts'
import { createHttpIngress } from './serve-http.ts'

/** One of several processes that serve the port of the ingress: begins when it is told how, and ends when it is told to. */
export async function runIngressProcess(): Promise<void> {
  // A terminal sends Ctrl-C to every process in its foreground; who started this one decides.
  process.on('SIGINT', () => {})
  const begin = once(process, 'message') as Promise<[ToProcess]>
  tell({ type: 'waiting' })
  const [message] = await begin
  if (message.type !== 'begin') return process.exit(0)
  const config = readConfig({ ...process.env, BERTH_ROLES: 'ingress' })
  const log = createLog(config)
  const registry = new Registry()
  // Whoever collects the metrics of all processes asks this one through it.
  new AggregatorRegistry()
  AggregatorRegistry.setRegistries([registry])
  const { dataDir, databaseUrl } = message.assignment
  const source = new RouteSource({ databaseUrl, dataDirectory: dataDir, log })
  await source.start()
  const { ingress: capacity } = shareDescriptors(readDescriptorLimit(), { ...config, BERTH_TCP_PORTS: [] })
  const ingress = createHttpIngress({ config, databaseUrl, source, log, registry, capacity })
  const stop = async () => {
    await ingress.close(DRAIN_SECONDS)
    await source.stop()
    process.exit(0)
  }
  process.on('message', ({ type }: ToProcess) => void (type === 'stop' && stop()))
  process.on('SIGTERM', () => void stop())
  try {
    await ingress.listen()
    tell({ type: 'ready', port: ingress.address().port })
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    process.send?.({ type: 'failed', message, code } satisfies FromProcess, () => process.exit(1))
  }
}

const tell = (message: FromProcess) => process.send?.(message, undefined, undefined, () => {})
