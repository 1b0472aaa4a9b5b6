import type { Database } from '../../storage/database/client.ts'

/** Longer than any `idleSeconds`: when there last was a request is known from these rows. */
const KEPT_HOURS = 25
const WAKES_KEPT_DAYS = 30
/** Of each environment; the metrics still count those before. */
const WAKES_KEPT = 1_000

/** Deletes what ended ingress processes have reported, and the history of old wakes. */
export async function deleteOldLoads(database: Database): Promise<void> {
  await database.$executeRaw`DELETE FROM ingress_session WHERE reported_at < now() - make_interval(hours => ${KEPT_HOURS})`
  await database.$executeRaw`DELETE FROM request_load WHERE reported_at < now() - make_interval(hours => ${KEPT_HOURS})`
  await database.$executeRaw`DELETE FROM wake WHERE created_at < now() - make_interval(days => ${WAKES_KEPT_DAYS})`
  await database.$executeRaw`
    DELETE FROM wake w USING (SELECT id, row_number() OVER (PARTITION BY app_env_id ORDER BY created_at DESC) AS number
      FROM wake) AS numbered WHERE w.id = numbered.id AND numbered.number > ${WAKES_KEPT}`
}
