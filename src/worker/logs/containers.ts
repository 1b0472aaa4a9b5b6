import type { ContainerEnd, ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { Database } from '../../storage/database/client.ts'
import { type Container, Prisma } from '../../storage/database/generated/prisma/client.ts'

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

/**
 * Adds what the engine restarted since the containers were last recorded to the restarts of their environment, which
 * also has those by Berth. Workers that observe one environment at once count a restart once: each compares under the lock
 * of the environment, and records what it has counted.
 */
async function countRestarts(
  database: Database,
  appEnvId: string,
  observed: readonly ObservedReplica[],
): Promise<void> {
  const restarted = observed.filter(({ restartCount }) => restartCount > 0)
  if (restarted.length === 0) return
  const where = { containerId: { in: restarted.map(({ containerId }) => containerId) } }
  const select = { containerId: true, restartCount: true, lastExitCode: true, lastExitOutOfMemory: true } as const
  // Most observations find nothing new, and need no lock.
  if (newRestarts(restarted, await database.container.findMany({ where, select })).length === 0) return
  await database.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT 1 FROM app_env WHERE id = ${appEnvId} FOR NO KEY UPDATE`
    const found = newRestarts(restarted, await tx.container.findMany({ where, select }))
    const last = found.at(-1)
    if (!last) return
    for (const { containerId, restartCount } of found) {
      await tx.container.updateMany({ where: { containerId }, data: { restartCount } })
    }
    const count = found.reduce((sum, { added }) => sum + added, 0)
    await tx.appEnv.updateMany({
      where: { id: appEnvId },
      data: {
        restartCount: { increment: count },
        ...(last.startedAt ? { lastRestartAt: last.startedAt } : {}),
        lastRestartReason: reasonOf(last),
      },
    })
  })
}

type Recorded = Pick<Container, 'containerId' | 'restartCount' | 'lastExitCode' | 'lastExitOutOfMemory'>

interface NewRestarts extends ObservedReplica, Pick<Recorded, 'lastExitCode' | 'lastExitOutOfMemory'> {
  added: number
}

function newRestarts(observed: readonly ObservedReplica[], recorded: readonly Recorded[]): NewRestarts[] {
  const known = new Map(recorded.map((row) => [row.containerId, row]))
  return observed.flatMap((replica) => {
    const row = known.get(replica.containerId)
    const added = row ? replica.restartCount - row.restartCount : 0
    if (!row || added <= 0) return []
    const { lastExitCode, lastExitOutOfMemory } = row
    return [{ ...replica, added, lastExitCode: replica.exitCode ?? lastExitCode, lastExitOutOfMemory }]
  })
}

function reasonOf({ index, lastExitCode, lastExitOutOfMemory }: NewRestarts): string {
  const code = lastExitCode === null ? 'ended' : `ended with exit code ${lastExitCode}`
  const exit = lastExitOutOfMemory ? `${code} (out of memory)` : code
  return `container ${index} ${exit}, and the engine started it again`
}
