import { databaseTime } from '../../database/time.ts'
import { conflict, invalidField } from '../../domain/errors.ts'
import { isWithin, parseHostName } from '../../domain/host-name.ts'
import { withoutNotes } from '../../events/audit-changes.ts'
import type { CommandContext } from '../kernel/command.ts'
import { isCoolingDown, lockHost } from '../lifecycle/cooling-hosts.ts'

/** An unproved claim expires after this long; then another account may claim the name. */
const UNPROVED_HOURS = 72

/** The name in its canonical spelling, if this account may claim it now. Throws INVALID_INPUT or CONFLICT. */
export async function claimableHost(context: CommandContext, accountId: string, text: string): Promise<string> {
  const { tx, config } = context
  const parsed = parseHostName(text)
  if ('problem' in parsed) throw invalidField('host', parsed.problem)
  const { host } = parsed
  const regions = await tx.region.findMany({ select: { domain: true } })
  const ours = [config.BERTH_DOMAIN, ...config.BERTH_EXTRA_DOMAINS]
  const platform = [...ours, ...regions.map(({ domain }) => domain), 'localhost']
  if (platform.some((domain) => isWithin(host, domain)))
    throw invalidField('host', 'is a name that Berth gives to environments by itself')
  await lockHost(tx, host)
  await giveUpUnproved(context, accountId, host, await databaseTime(tx))
  if (await isCoolingDown(context, accountId, host))
    throw conflict('HOST_COOLING_DOWN', `"${host}" was in use a short time ago, and cannot be claimed yet`)
  return host
}

async function giveUpUnproved({ tx }: CommandContext, accountId: string, host: string, now: Date): Promise<void> {
  const taken = await tx.host.findUnique({ where: { host }, include: { appEnv: true } })
  if (!taken) return
  const isOld = now.getTime() - taken.createdAt.getTime() > UNPROVED_HOURS * 3_600_000
  // Does not reveal who owns it.
  if (taken.appEnv.accountId === accountId || taken.wasValid || !isOld)
    throw conflict('HOST_TAKEN', `"${host}" is in use already`)
  await withoutNotes(tx, () => tx.host.delete({ where: { id: taken.id } }))
}
