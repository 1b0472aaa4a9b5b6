import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Container } from '../../storage/database/generated/prisma/client.ts'

/**
 * Adds what the engine restarted since the containers were last recorded to the restarts of their environment, which
 * also has those by Berth. Workers that observe one environment at once count a restart once: each compares under the lock
 * of the environment, and records what it has counted.
 */
export async function countRestarts(
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
