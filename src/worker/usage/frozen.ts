import type { UsageKind } from '../../domain/usage-interval.ts'
import type { Database } from '../../storage/database/client.ts'
import { recordKind } from '../../storage/usage/usage-log.ts'

/** Records that a container was frozen or unfrozen. Where that fails, the next pass of the meter does it. */
export async function noteKind(
  { database }: { database: Database },
  containerId: string | null,
  kind: UsageKind,
): Promise<void> {
  if (containerId !== null) await recordKind(database, containerId, kind).catch(() => {})
}
