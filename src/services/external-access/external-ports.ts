import type { CommandContext } from '../../calls/command.ts'
import { conflict } from '../../domain/errors.ts'
import { databaseTime } from '../../storage/database/time.ts'

interface Owner {
  id: string
  accountId: string
}

/**
 * A free port for the environment. Ports that the account itself gave up come first, that of the environment before the
 * others: so an account never keeps more ports from others than it had at one time.
 */
export async function allocatePort({ tx, config }: CommandContext, { id, accountId }: Owner): Promise<number> {
  const { BERTH_TCP_PORTS: ports, BERTH_HOST_COOLDOWN_HOURS: hours, BERTH_ACCOUNT_TCP_PORTS: most } = config
  if (ports.length === 0)
    throw conflict('EXTERNAL_ACCESS_OFF', 'This installation has no ports for external access (BERTH_TCP_PORTS)')
  // One at a time: two environments must not find the same port free.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('external-ports', 0))`
  const used = await tx.externalAccess.count({
    where: { port: { not: null }, appEnvId: { not: id }, appEnv: { accountId } },
  })
  if (used >= most)
    throw conflict(
      'ACCOUNT_LIMIT',
      `The account has ${used} environments with external access, and may have ${most} (BERTH_ACCOUNT_TCP_PORTS)`,
    )
  const [free] = await tx.$queryRaw<{ port: number }[]>`
    SELECT candidate.port
      FROM unnest(${[...ports]}::int[]) AS candidate (port)
      LEFT JOIN released_port released USING (port)
     WHERE NOT EXISTS (SELECT FROM external_access held WHERE held.port = candidate.port)
       AND (released.port IS NULL OR released.account_id = ${accountId}
            OR released.released_at <= now() - make_interval(hours => ${hours}::int))
     ORDER BY released.app_env_id IS NOT DISTINCT FROM ${id} DESC,
              released.account_id IS NOT DISTINCT FROM ${accountId} DESC,
              released.released_at NULLS FIRST, candidate.port
     LIMIT 1`
  if (!free)
    throw conflict(
      'EXTERNAL_PORTS_USED_UP',
      `All ${ports.length} ports for external access are in use or reserved (BERTH_TCP_PORTS)`,
    )
  await tx.releasedPort.deleteMany({ where: { port: free.port } })
  return free.port
}

/** Records that a port was in use, so that its clients do not reach another account's service soon. */
export async function releasePort({ tx }: CommandContext, { id, accountId }: Owner, port: number): Promise<void> {
  const data = { accountId, appEnvId: id, releasedAt: await databaseTime(tx) }
  await tx.releasedPort.upsert({ where: { port }, create: { port, ...data }, update: data })
}
