import type { EngineCommand, EngineMetrics } from '../engine.ts'
import {
  activeOperations,
  cacheHitRate,
  connections,
  diskUsage,
  engineMemory,
  megabytes,
  missedPercent,
  operations,
  perSecond,
  reported,
  waitingOperations,
} from '../engine-metrics.ts'

const PROGRAM = `
  const status = admin.adminCommand({ serverStatus: 1 })
  const cache = status.wiredTiger?.cache ?? {}
  const { totalSize } = admin.adminCommand({ listDatabases: 1 })
  const values = {
    connections: status.connections?.current,
    size: totalSize,
    memory: cache["bytes currently in the cache"],
    requested: cache["pages requested from the cache"],
    missed: cache["pages read into cache"],
    operations: Object.values(status.opcounters ?? {}).reduce((sum, count) => sum + Number(count) || sum, 0),
    active: status.globalLock?.activeClients?.total,
    waiting: status.globalLock?.currentQueue?.total,
  }
  for (const [name, value] of Object.entries(values)) if (value !== undefined) print(name + " " + Number(value))`

/** `inShell` runs a program of the engine's shell that has signed in. */
export const mongodbMetrics = (inShell: (javascript: string) => EngineCommand): EngineMetrics => ({
  command: inShell(PROGRAM),
  series: [
    // Without the session that asks.
    connections(reported('connections', { plus: -1 })),
    diskUsage(megabytes('size')),
    engineMemory(megabytes('memory')),
    cacheHitRate(missedPercent('missed', 'requested')),
    operations(perSecond('operations')),
    activeOperations(reported('active')),
    waitingOperations(reported('waiting')),
  ],
})
