import type { Database } from '../../database/client.ts'

/** Longer than any `idleSeconds`: when there last was a request is known from these rows. */
const KEPT_HOURS = 25
const WAKES_KEPT_DAYS = 30

/** Deletes what ended ingress processes have reported, and the history of old wakes. */
export async function deleteOldLoads(database: Database): Promise<void> {
  await database.$executeRaw`DELETE FROM ingress_session WHERE reported_at < now() - make_interval(hours => ${KEPT_HOURS})`
  await database.$executeRaw`DELETE FROM request_load WHERE reported_at < now() - make_interval(hours => ${KEPT_HOURS})`
  await database.$executeRaw`DELETE FROM wake WHERE created_at < now() - make_interval(days => ${WAKES_KEPT_DAYS})`
}
