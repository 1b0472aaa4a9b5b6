import { DomainError } from '../domain/errors.ts'
import type { Wakeups } from '../storage/events/wakeups.ts'
import type { Caller } from './caller.ts'
import type { CallerCache } from './caller-cache.ts'
import {
  type AnyCommand,
  type CallOptions,
  type CommandResult,
  hasBegun,
  operationsOf,
  type Performed,
} from './command.ts'
import { isKept, type KeyedCall, keepPending, RENEWAL_MS, storeFinalAnswer, storeFinalRefusal } from './idempotency.ts'
import { type Dependencies, inputOf, perform } from './perform.ts'
import { checkWait, ProcessEnding, waitForOperations } from './wait.ts'
import { overallStatus, readOutcomes } from './wait-outcome.ts'

type WaitingDependencies = Dependencies & { wakeups: Wakeups; callers: CallerCache }

/**
 * A call that waits answers with the outcome of its operations; its shape is the same (contract §1). If its process dies
 * meanwhile, a repeat with its key takes over the wait and gives the final answer.
 */
export async function performAndWait(
  dependencies: WaitingDependencies,
  caller: Caller,
  command: AnyCommand,
  input: unknown,
  options: CallOptions,
): Promise<Performed> {
  const { config, vault, callers } = dependencies
  checkWait(options, config)
  // Even a failed call may have committed: its answer can get lost on the way back.
  const performed = await perform(dependencies, caller, command, input, options).finally(() =>
    callers.clearAfter(command),
  )
  const mayWait = performed.isUnfinished || (options.waitSeconds && !performed.replayed && !options.dryRun)
  if (!mayWait || !hasBegun(command, performed.result)) return performed
  return finish(dependencies, { caller, command, input: inputOf(command, input), options, config, vault }, performed)
}

async function finish(dependencies: WaitingDependencies, call: KeyedCall, performed: Performed): Promise<Performed> {
  const { database } = dependencies
  const { progress } = call.command
  const { waitSeconds: seconds = 0, signal } = call.options
  let renewedAt = performance.now()
  await waitForOperations(dependencies, operationsOf(performed.result), {
    seconds,
    signal,
    observe: async () => (await progress?.observe(database, performed.result)) ?? { hasEnded: true },
    async onPending() {
      if (performance.now() - renewedAt < RENEWAL_MS) return
      renewedAt = performance.now()
      await keepPending(database, call)
    },
  })
  if (signal?.aborted && !(signal.reason instanceof ProcessEnding)) {
    // The client has left before this answer, so it is not stored as the final one.
    await keepPending(database, call, 0)
    return performed
  }
  try {
    const result = await finalAnswer(dependencies, call.command, performed.result)
    return { result: await storeFinalAnswer(database, call, result), replayed: performed.replayed }
  } catch (error) {
    if (error instanceof DomainError && isKept(error)) await storeFinalRefusal(database, call, error)
    throw error
  }
}

async function finalAnswer(
  dependencies: WaitingDependencies,
  { progress, refresh }: AnyCommand,
  result: CommandResult,
): Promise<CommandResult> {
  const { database } = dependencies
  if (progress) return progress.answer(database, result)
  const outcomes = await readOutcomes(database, operationsOf(result))
  return { operationStatus: overallStatus(outcomes), ...((await refresh?.(dependencies, result, outcomes)) ?? result) }
}
