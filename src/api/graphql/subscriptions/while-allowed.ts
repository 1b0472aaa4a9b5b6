import { permit } from '../../../calls/caller.ts'
import { cancellable } from '../../../storage/events/cancellable-generator.ts'
import type { GraphQLContext } from '../context.ts'
import { watchAccess } from './follow.ts'

/**
 * Live answers about an environment that do not come from its events: they are read from tables on request. Ends when
 * the caller leaves, and with the refusal when access is lost; `read` learns of both from its signal.
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
    permit: (present) => permit(present, 'appEnv:observe', { accountId, appEnvId }),
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
