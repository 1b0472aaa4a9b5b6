import { Gauge, type Registry } from 'prom-client'
import { type Readiness, readParts } from '../api/server/health.ts'

/** Shows what `/readyz` says, for alerts: whether each part is ready, and what is wrong with one. */
export function registerPartMetrics(registry: Registry, readiness: Readiness): void {
  const ready = new Gauge({
    name: 'berth_part_ready',
    help: 'Whether a part of Berth is ready, as in /readyz: 1 or 0.',
    labelNames: ['part'],
    registers: [registry],
    async collect() {
      const { parts } = await readParts(readiness)
      ready.reset()
      problem.reset()
      for (const [part, { ready: isReady, state }] of Object.entries(parts)) {
        ready.set({ part }, isReady ? 1 : 0)
        if (state !== 'READY') problem.set({ part, state }, 1)
      }
    },
  })
  // Its samples are those that the other has read.
  const problem = new Gauge({
    name: 'berth_part_problem',
    help: 'What is wrong with a part of Berth, as in /readyz; none for a part with which nothing is.',
    labelNames: ['part', 'state'],
    registers: [registry],
    async collect() {
      await ready.get()
    },
  })
}
