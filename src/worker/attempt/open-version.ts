import type { Transaction } from '../../storage/database/client.ts'
import type { Prisma } from '../../storage/database/generated/prisma/client.ts'

const OPEN = ['QUEUED', 'BUILDING', 'BUILT', 'DEPLOYING'] as const

/** Writes to the version of an operation. `start` brings back a version that was DEPLOYED long ago, which stays as it is. */
export async function writeToOpenVersion(
  tx: Transaction,
  contentId: string | null,
  data: Prisma.ContentUncheckedUpdateManyInput,
): Promise<void> {
  if (contentId) await tx.content.updateMany({ where: { id: contentId, status: { in: [...OPEN] } }, data })
}
