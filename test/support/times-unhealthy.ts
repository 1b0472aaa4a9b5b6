import type { Database } from '../../src/storage/database/client.ts'

/**
 * How often the health of an environment ceased to be HEALTHY, by its events. To wait for more of them is to wait for
 * something that stays: the state itself may be repaired before a test reads it.
 */
export async function timesUnhealthy(database: Database, appEnvId: string): Promise<number> {
  const events = await database.event.findMany({ where: { appEnvId, type: 'appEnv.healthChanged' } })
  return events.filter(({ payload }) => (payload as { health?: string }).health !== 'HEALTHY').length
}
