import type { Config } from '../config/config.ts'
import { invalidField } from '../domain/errors.ts'
import { isOpen } from '../domain/operation.ts'
import type { Database } from '../storage/database/client.ts'
import type { Wakeups } from '../storage/events/wakeups.ts'
import type { CallOptions, Progress } from './command.ts'

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
  /** How far is what is waited for besides the operations. */
  observe: () => Promise<Progress>
}

/** Waits until the operations, all of one account, have ended, the time is up or the signal fires. */
export async function waitForOperations(
  { database, wakeups }: { database: Database; wakeups: Wakeups },
  operationIds: readonly string[],
  { seconds, signal, onPending, observe }: Wait,
): Promise<void> {
  const until = performance.now() + seconds * 1000
  for (;;) {
    const waited = await database.operation.findFirst({
      where: { id: { in: [...operationIds] } },
      // Open ones sort before ended ones.
      orderBy: { finishedAt: { sort: 'desc', nulls: 'first' } },
      select: { accountId: true, status: true },
    })
    const isOperating = waited !== null && isOpen(waited.status)
    const { hasEnded, accountId } = isOperating ? { hasEnded: false, accountId: null } : await observe()
    const goesOn = !hasEnded
    const left = until - performance.now()
    if (!goesOn || left <= 0 || signal?.aborted) return
    await onPending()
    await wakeups.next(waited?.accountId ?? accountId ?? '', Math.min(left, POLL_MS), signal)
  }
}
