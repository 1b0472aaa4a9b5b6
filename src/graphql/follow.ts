import { abortable } from '../events/abortable.ts'
import { cursorOf, sequenceOf } from '../events/cursor.ts'
import type { RecordedEvent } from '../events/event.ts'
import type { Caller } from '../services/caller.ts'
import type { GraphQLContext } from './context.ts'

/** One answer of a subscription: the present state at first, then one event after the other. */
export interface Message<State> {
  cursor: string
  /** Null in the first answer. */
  event: RecordedEvent | null
  state: State
}

interface Subject<State> {
  ledgerId: string
  after?: string | null | undefined
  /** Throws when the caller may not follow this; asked again every few seconds. */
  permit(caller: Caller): void
  concerns(event: RecordedEvent, caller: Caller): boolean
  /** The state as it is now, for the first answer. */
  present(): Promise<State>
  /** The state after an event. */
  next(state: State | null, event: RecordedEvent): State
  /** True when nothing more can follow. */
  isLast?(state: State, event: RecordedEvent | null): boolean
}

/**
 * Follows something from the event log. The place in the log is noted before the present state is read, so
 * nothing can fall between the two; an event that the state shows already is told all the same, in its order.
 * With `after`, the state is known to the client, and what followed it is told instead.
 */
export function follow<State>(context: GraphQLContext, subject: Subject<State>): AsyncGenerator<Message<State>, void> {
  return abortable(context.signalOf?.(), (signal) => guarded(context, subject, signal))
}

/** Ends with the refusal when access was lost, and looks no more once nobody reads. */
async function* guarded<State>(
  context: GraphQLContext,
  subject: Subject<State>,
  left: AbortSignal,
): AsyncGenerator<Message<State>, void> {
  const access = watchAccess(context, subject)
  try {
    yield* messages(context, subject, AbortSignal.any([left, access.signal]), access)
    if (access.refusal) throw access.refusal
  } finally {
    access.stop()
  }
}

async function* messages<State>(
  { feed }: GraphQLContext,
  subject: Subject<State>,
  signal: AbortSignal,
  access: Access,
): AsyncGenerator<Message<State>, void> {
  const { ledgerId } = subject
  const isResumed = typeof subject.after === 'string'
  const after = isResumed ? sequenceOf(subject.after as string) : await feed.head(ledgerId)
  let state: State | null = null
  if (!isResumed) {
    state = await subject.present()
    yield { cursor: cursorOf(after), event: null, state }
    if (subject.isLast?.(state, null)) return
  }
  const filter = (event: RecordedEvent) => subject.concerns(event, access.caller)
  for await (const event of feed.follow(ledgerId, { after, filter, signal })) {
    state = subject.next(state, event)
    yield { cursor: cursorOf(event.sequence), event, state }
    if (subject.isLast?.(state, event)) return
  }
}

interface Access {
  /** Who the caller is now. */
  caller: Caller
  signal: AbortSignal
  refusal: unknown
  stop(): void
}

/** Looks every few seconds whether the caller still may; if not, everything on the connection ends. */
function watchAccess<State>(
  { access, authorization, caller, closeConnection }: GraphQLContext,
  subject: Subject<State>,
): Access {
  const lost = new AbortController()
  const watched: Access = { caller, signal: lost.signal, refusal: null, stop: () => {} }
  const lose = (refusal: unknown) => {
    watched.refusal = refusal
    lost.abort()
    closeConnection?.()
  }
  watched.stop = access.watch(authorization, (present, refusal) => {
    if (!present) return lose(refusal)
    watched.caller = present
    try {
      subject.permit(present)
    } catch (error) {
      lose(error)
    }
  })
  return watched
}
