import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { alertBudgets } from '../../storage/usage/budgets.ts'
import { recordKeptBytes } from '../../storage/usage/kept-bytes.ts'
import { recordPrices } from '../../storage/usage/prices.ts'
import { recordInventory } from '../../storage/usage/running-containers.ts'
import { freezeStatements } from '../../storage/usage/statements.ts'
import { deleteOldUsage, endLostBuilds } from '../../storage/usage/usage-log.ts'
import type { WorkerContext } from '../context/worker-context.ts'
import { isAway } from '../engine/is-away.ts'
import { isOnEngine } from '../scope/engine-scope.ts'
import { replicaSightings, runSightings } from '../usage/sightings.ts'

export type MeterContext = Pick<WorkerContext, 'database' | 'scope' | 'runtime' | 'engineHealth' | 'config'>

/**
 * One pass; any part of it may be done twice, or be cut short. What fails is left to the next pass, and holds up nothing
 * else; what failed is thrown at the end.
 */
export async function meter(context: MeterContext, signal: AbortSignal): Promise<void> {
  const { database, config } = context
  const now = await databaseTime(database)
  const parts = [
    () => recordPrices(database),
    () => meterContainers(context, now, signal),
    () => endLostBuilds(database, config.BERTH_USAGE_SECONDS),
    () => recordKeptBytes(database),
    () => alertBudgets(database, now, config.BERTH_CURRENCY),
    () => freezeStatements(database, { now, currency: config.BERTH_CURRENCY }),
    () => deleteOldUsage(database, now, config.BERTH_USAGE_MONTHS),
  ]
  const failures: unknown[] = []
  for (const part of parts) {
    if (signal.aborted) return
    await part().catch((error: unknown) => failures.push(error))
  }
  const own = failures.filter((one) => !isAway(one))
  if (own.length > 1) throw new AggregateError(own, own.map(String).join('; '))
  const [failure] = [...own, ...failures]
  if (failure !== undefined) throw failure
}

/** `at` is from before the question: whatever is answered was so at that time, or began later. */
async function meterContainers(context: MeterContext, at: Date, signal: AbortSignal): Promise<void> {
  const { database, scope, runtime, engineHealth, config } = context
  engineHealth.assertReachable()
  const bounds = { signal, timeoutSeconds: config.BERTH_ENGINE_TIMEOUT_SECONDS }
  const replicas = await runtime.observe({ isBrief: true }, bounds)
  const runs = await runtime.observeRuns({}, bounds)
  const asking = { database, runtime, ...bounds }
  const ofReplicas = await replicaSightings(asking, replicas, at)
  const ofRuns = await runSightings(asking, runs, at)
  await recordInventory(database, {
    at,
    sightings: [...ofReplicas, ...ofRuns],
    isOfEngine: isOnEngine(Prisma.sql`e.region_code`, scope),
    containerIds: [...replicas, ...runs].map(({ containerId }) => containerId),
  })
}
