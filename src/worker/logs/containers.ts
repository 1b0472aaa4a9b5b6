import type { ContainerEnd, ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { Database } from '../../storage/database/client.ts'
import { type Container, Prisma } from '../../storage/database/generated/prisma/client.ts'
import { countRestarts } from './count-restarts.ts'

/**
 * Records the containers of an environment as just observed. Rows of removed containers stay, for their logs. Returns
 * the rows of those that exist. How a container last ended is kept when it is started again.
 */
export async function recordContainers(
  database: Database,
  appEnvId: string,
  observed: readonly ObservedReplica[],
): Promise<Container[]> {
  const ids = observed.map(({ containerId }) => containerId)
  await database.$executeRaw`
    UPDATE container SET removed_at = now(), phase = 'removed'
    WHERE app_env_id = ${appEnvId} AND removed_at IS NULL AND container_id <> ALL(${ids}::text[])`
  for (const replica of observed) await recordContainer(database, replica)
  await countRestarts(database, appEnvId, observed)
  return database.container.findMany({ where: { containerId: { in: ids } } })
}

function recordContainer(database: Database, replica: ObservedReplica): Promise<number> {
  const { containerId, appEnvId, contentId, name, phase, startedAt, outOfMemory } = replica
  // Engines report an end time even for a container that was never started.
  const finishedAt = startedAt ? replica.finishedAt : null
  return database.$executeRaw`
    INSERT INTO container AS c (container_id, app_env_id, content_id, name, phase, started_at, finished_at,
      last_exit_code, last_exit_out_of_memory, last_exit_at)
    VALUES (${containerId}, ${appEnvId}, ${contentId}, ${name}, ${phase}, ${startedAt}, ${finishedAt},
      ${replica.exitCode}, ${outOfMemory}, ${finishedAt})
    ON CONFLICT (container_id) DO UPDATE SET phase = excluded.phase, started_at = excluded.started_at,
      finished_at = excluded.finished_at, seen_at = now(), removed_at = NULL,
      last_exit_at = coalesce(excluded.last_exit_at, c.last_exit_at),
      last_exit_code = CASE WHEN ${isSameEnd} THEN coalesce(excluded.last_exit_code, c.last_exit_code)
        ELSE excluded.last_exit_code END,
      last_exit_out_of_memory = excluded.last_exit_out_of_memory OR (c.last_exit_out_of_memory AND ${isSameEnd})`
}

/** The engine's event and its inspection report slightly different times for the same end. */
const isSameEnd = Prisma.sql`
  (excluded.last_exit_at IS NULL OR abs(extract(epoch FROM excluded.last_exit_at - c.last_exit_at)) < 2)`

/** Records the end of a container from the engine's event. */
export const recordEnd = (database: Database, { containerId, exitCode, outOfMemory, at }: ContainerEnd) =>
  database.$executeRaw`
    UPDATE container SET last_exit_at = ${at}, last_exit_code = ${exitCode},
      last_exit_out_of_memory = ${outOfMemory}
        OR (last_exit_out_of_memory AND abs(extract(epoch FROM ${at}::timestamptz - last_exit_at)) < 2)
    WHERE container_id = ${containerId}
      AND (last_exit_at IS NULL OR last_exit_at < ${at}::timestamptz + interval '2 seconds')`
