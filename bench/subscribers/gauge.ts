import { setTimeout as sleep } from 'node:timers/promises'

/** The memory of a process after a full garbage collection. */
export interface Holding {
  rss: number
  heap: number
  external: number
  /** Open sockets, timers and other handles, by kind. */
  resources: Record<string, number>
}

// Loaded with --import into the servers that are compared, so that both are measured in the same way.
process.on('message', async (message) => {
  if (message !== 'measure') return
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.()
    await sleep(250)
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  const resources = Object.fromEntries(
    Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind)).map(([kind, all]) => [
      kind,
      all?.length ?? 0,
    ]),
  )
  process.send?.({ rss, heap: heapUsed, external, resources } satisfies Holding)
})
process.channel?.unref()
