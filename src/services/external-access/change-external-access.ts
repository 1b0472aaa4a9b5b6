import { getAppType } from '../../app-types/app-types.ts'
import { usesTcp } from '../../app-types/behaviours.ts'
import type { CommandContext } from '../../calls/command.ts'
import { canonicalCidr } from '../../domain/allow-list.ts'
import { conflict, invalidField } from '../../domain/errors.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { notifyIngresses } from '../../storage/events/notifications.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import type { ExternalAccessInput } from './external-access-input.ts'

/**
 * Opens, changes or closes the way in from outside; undefined leaves it alone, null removes what was configured. The
 * ingresses follow within a second, whatever state the environment is in.
 */
export async function changeExternalAccess(
  context: CommandContext,
  appEnv: LoadedAppEnv,
  wanted: ExternalAccessInput | null | undefined,
): Promise<void> {
  if (wanted === undefined) return
  if (wanted === null) return removeExternalAccess(context, appEnv)
  const { tx } = context
  const { id: appEnvId, app, externalAccess: present } = appEnv
  if (!usesTcp(app)) throw invalidField('externalAccess', `is not used by ${getAppType(app.type).title} apps`)
  const allowedCidrs = canonical(wanted.allowedCidrs) ?? present?.allowedCidrs ?? []
  if (wanted.enabled && allowedCidrs.length === 0)
    throw invalidField(
      'externalAccess.allowedCidrs',
      'must list the addresses that may connect, such as 203.0.113.0/24; 0.0.0.0/0 and ::/0 allow every address',
    )
  requireAllowedNumber(context, wanted)
  const { maxConnections = present?.maxConnections ?? null } = wanted
  const port = await portFor(context, appEnv, wanted.enabled)
  const data = { port, allowedCidrs, maxConnections }
  await tx.externalAccess.upsert({ where: { appEnvId }, create: { appEnvId, ...data }, update: data })
  context.auditDetails({ externalAccess: { enabled: wanted.enabled, allowedCidrs, maxConnections } })
  await notifyIngresses(tx)
}

/** Closes the external port, if there is one, and deletes the list of allowed addresses. */
export async function removeExternalAccess(context: CommandContext, appEnv: LoadedAppEnv): Promise<void> {
  const { externalAccess: present } = appEnv
  if (!present) return
  if (present.port !== null) await releasePort(context, appEnv, present.port)
  await context.tx.externalAccess.delete({ where: { appEnvId: appEnv.id } })
  await notifyIngresses(context.tx)
}

/** The port that it has, while that is one of the installation's; else a new one. Null when it is off. */
async function portFor(context: CommandContext, appEnv: LoadedAppEnv, isWanted: boolean): Promise<number | null> {
  const present = appEnv.externalAccess?.port ?? null
  if (isWanted && present !== null && context.config.BERTH_TCP_PORTS.includes(present)) return present
  const next = isWanted ? await allocatePort(context, appEnv) : null
  if (present !== null) await releasePort(context, appEnv, present)
  return next
}

function requireAllowedNumber({ config }: CommandContext, { maxConnections }: ExternalAccessInput): void {
  const most = config.BERTH_TCP_CONNECTIONS_PER_ENV
  if (maxConnections && maxConnections > most)
    throw invalidField('externalAccess.maxConnections', `must be at most ${most} (BERTH_TCP_CONNECTIONS_PER_ENV)`)
}

const canonical = (ranges: readonly string[] | undefined) =>
  ranges && [...new Set(ranges.map((range) => canonicalCidr(range) ?? range))]

interface Owner {
  id: string
  accountId: string
}

/**
 * A free port for the environment. Ports that the account itself gave up come first, that of the environment before the
 * others: so an account never keeps more ports from others than it had at one time.
 */
async function allocatePort({ tx, config }: CommandContext, { id, accountId }: Owner): Promise<number> {
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
async function releasePort({ tx }: CommandContext, { id, accountId }: Owner, port: number): Promise<void> {
  const data = { accountId, appEnvId: id, releasedAt: await databaseTime(tx) }
  await tx.releasedPort.upsert({ where: { port }, create: { port, ...data }, update: data })
}
