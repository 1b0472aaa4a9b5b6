import type { Database } from '../database/client.ts'
import { isOpen } from '../domain/operation.ts'
import type { Wakeups } from '../events/wakeups.ts'

/** A lost hint costs at most this much. */
const LOOK_AGAIN_MS = 1_000

/** Waits until the operation has ended, the time is up or the caller has gone; says whether it has ended. */
export async function waitForOperation(
  { database, wakeups }: { database: Database; wakeups: Wakeups },
  operationId: string,
  seconds: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const until = performance.now() + seconds * 1000
  for (;;) {
    const { status, accountId } = await database.operation.findUniqueOrThrow({
      where: { id: operationId },
      select: { status: true, accountId: true },
    })
    if (!isOpen(status)) return true
    const left = until - performance.now()
    if (left <= 0 || signal?.aborted) return false
    await wakeups.next(accountId, Math.min(left, LOOK_AGAIN_MS), signal)
  }
}
