import type { CommandContext } from '../../calls/command.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { databaseTime } from '../../storage/database/time.ts'

/** Serializes everything that takes or gives up one name, whichever accounts it comes from. */
export async function lockHost(tx: Transaction, host: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`host/${host}`}, 0))`
}

/** Whether another account had the host a short time ago. */
export async function isCoolingDown({ tx, config }: CommandContext, accountId: string, host: string): Promise<boolean> {
  const released = await tx.releasedHost.findUnique({ where: { host } })
  if (!released || released.accountId === accountId) return false
  const now = await databaseTime(tx)
  return now.getTime() - released.releasedAt.getTime() < config.BERTH_HOST_COOLDOWN_HOURS * 3_600_000
}
