import { getAppType } from '../../app-types/app-types.ts'
import { usesTcp } from '../../app-types/behaviours.ts'
import type { CommandContext } from '../../calls/command.ts'
import { canonicalCidr } from '../../domain/allow-list.ts'
import { invalidField } from '../../domain/errors.ts'
import { notifyIngresses } from '../../storage/events/notifications.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import type { ExternalAccessInput } from './external-access-input.ts'
import { allocatePort, releasePort } from './external-ports.ts'

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
