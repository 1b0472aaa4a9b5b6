import { CONNECTIONS } from '../../app-types/engines/engine-metrics.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'
import { sleep } from '../time/sleep.ts'
import { askEngine } from './ask-engine.ts'
import { knownService } from './service-container.ts'

const POLL_MS = 500

/**
 * Lets the clients of a managed service finish before its container is stopped: until it has none, or does not answer,
 * and at most for the drain time, counted from when no new ones are led to it. For other apps there is nothing to wait
 * for.
 */
export async function drainClients(attempt: AttemptContext, since: Date): Promise<void> {
  const { config, lease, signal } = attempt
  const endMs = since.getTime() + config.BERTH_DRAIN_SECONDS * 1000
  const leftMs = () => endMs - lease.claim.clock.now().getTime()
  while (leftMs() > 0) {
    const askedAt = performance.now()
    if (!(await hasClients(attempt, leftMs()))) return
    // What asks for all metrics may be heavy: it takes at most half of the time.
    const pauseMs = Math.max(POLL_MS, performance.now() - askedAt)
    await sleep(Math.max(0, Math.min(pauseMs, leftMs())), signal)
    signal.throwIfAborted()
  }
}

async function hasClients(attempt: AttemptContext, withinMs: number): Promise<boolean> {
  const { appEnv, engine, signal } = attempt
  const { currentContent } = appEnv
  const service = currentContent && knownService(attempt, appEnv, recordedConfiguration(currentContent))
  if (!service) return false
  const { command, series } = service.engine.metrics
  const { environment } = service.container
  const connections = series.find(({ name }) => name === CONNECTIONS.name)
  const timeoutSeconds = Math.min(10, Math.max(1, Math.ceil(withinMs / 1000)))
  for (const { name } of (await engine.observe()).filter(({ phase }) => phase === 'running')) {
    try {
      const exec: Parameters<typeof askEngine>[0]['exec'] = (asked, options) => engine.exec(name, asked, options)
      const reading = await askEngine({ key: 'clients', command, environment, exec, timeoutSeconds })
      if ((connections?.value(reading, null) ?? 0) > 0) return true
    } catch {
      // A server that does not answer has no clients to wait for.
      signal.throwIfAborted()
    }
  }
  return false
}
