import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/client.ts'
import { invalidField } from '../../domain/errors.ts'
import { isOpen } from '../../domain/operation.ts'
import type { Wakeups } from '../../events/wakeups.ts'
import type { CallOptions } from './command.ts'

/** A lost notification delays a wait by at most this much. */
const POLL_MS = 1_000

/** Ends waits early because the process stops. The callers are still connected, and get an answer. */
export class ProcessEnding extends Error {
  override readonly name = 'ProcessEnding'
}

export function checkWait({ waitSeconds }: CallOptions, { BERTH_MAX_WAIT_SECONDS: most }: Config): void {
  if (waitSeconds === undefined) return
  if (Number.isInteger(waitSeconds) && waitSeconds >= 0 && waitSeconds <= most) return
  throw invalidField('waitSeconds', `must be a whole number from 0 to ${most}`)
}

interface Wait {
  seconds: number
  signal?: AbortSignal | undefined
  /** Called after every check that will be followed by another. */
  onPending: () => Promise<void>
}

/** Waits until the operation has ended, the time is up or the signal fires. */
export async function waitForOperation(
  { database, wakeups }: { database: Database; wakeups: Wakeups },
  operationId: string,
  { seconds, signal, onPending }: Wait,
): Promise<void> {
  const until = performance.now() + seconds * 1000
  for (;;) {
    const { status, accountId } = await database.operation.findUniqueOrThrow({
      where: { id: operationId },
      select: { status: true, accountId: true },
    })
    const left = until - performance.now()
    if (!isOpen(status) || left <= 0 || signal?.aborted) return
    await onPending()
    await wakeups.next(accountId, Math.min(left, POLL_MS), signal)
  }
}
