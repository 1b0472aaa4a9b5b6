import { cancellable } from '../../events/cancellable-generator.ts'
import { permit } from '../../services/kernel/caller.ts'
import type { GraphQLContext } from '../context.ts'
import { watchAccess } from './follow.ts'

/**
 * Live answers about an environment that are not events of a ledger: they are read from tables when they are asked
 * for. Ends when the caller leaves, and with the refusal when access is lost; `read` hears of both by its signal.
 */
export function whileAllowed<T>(
  context: GraphQLContext,
  appEnv: { id: string; accountId: string },
  read: (signal: AbortSignal) => AsyncGenerator<T, void>,
): AsyncGenerator<T, void> {
  const leaving = new AbortController()
  return cancellable(guarded(context, appEnv, leaving, read), () => leaving.abort())
}

async function* guarded<T>(
  context: GraphQLContext,
  { id: appEnvId, accountId }: { id: string; accountId: string },
  leaving: AbortController,
  read: (signal: AbortSignal) => AsyncGenerator<T, void>,
): AsyncGenerator<T, void> {
  let refusal: unknown = null
  const stopWatching = watchAccess(context, {
    permit: (present) => permit(present, 'appEnv:read', { accountId, appEnvId }),
    lose(reason) {
      refusal = reason
      leaving.abort()
    },
  })
  try {
    yield* read(leaving.signal)
    if (refusal) throw refusal
  } finally {
    stopWatching()
  }
}
