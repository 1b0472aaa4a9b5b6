import type { Caller } from '../../../calls/caller.ts'
import { cancellable } from '../../../storage/events/cancellable-generator.ts'
import { cursorOf, sequenceOf } from '../../../storage/events/cursor.ts'
import type { RecordedEvent } from '../../../storage/events/event.ts'
import type { GraphQLContext } from '../context.ts'

/** One answer of a subscription: first the current state, then one event after the other. */
export interface Message<State> {
  cursor: string
  /** Null in the first answer. */
  event: RecordedEvent | null
  state: State
}

interface Subject<State> {
  eventSequenceId: string
  after?: string | null | undefined
  /** Throws when the caller may not follow this; called every few seconds. */
  permit(caller: Caller): void
  concerns(event: RecordedEvent, caller: Caller): boolean
  /** The current state, for the first answer. */
  present(): Promise<State>
  /** The state after an event. */
  next(state: State | null, event: RecordedEvent): State
  /** True when nothing more can follow. */
  isLast?(state: State, event: RecordedEvent | null): boolean
}

/** Reasons to end a subscription before its subject ends. */
interface Standing {
  /** The caller as last authenticated. */
  caller: Caller
  /** Why access was lost; null while it is not. */
  refusal: unknown
  hasLeft: boolean
  events: AsyncGenerator<RecordedEvent, void> | null
}

/**
 * Follows something from the event sequence. The position is read before the current state, so no event can be lost
 * between the two; an event that the state already includes is still sent, in order. With `after`, the client knows the
 * state, and gets the events after that cursor instead.
 */
export function follow<State>(context: GraphQLContext, subject: Subject<State>): AsyncGenerator<Message<State>, void> {
  const standing: Standing = { caller: context.caller, refusal: null, hasLeft: false, events: null }
  return cancellable(guarded(context, subject, standing), () => leave(standing))
}

function leave(standing: Standing): void {
  standing.hasLeft = true
  void standing.events?.return()
}

/** Ends with the refusal when access is lost, and stops checking when the reader is gone. */
async function* guarded<State>(
  context: GraphQLContext,
  subject: Subject<State>,
  standing: Standing,
): AsyncGenerator<Message<State>, void> {
  const stopWatching = watchAccess(context, {
    permit(present) {
      standing.caller = present
      subject.permit(present)
    },
    lose(refusal) {
      standing.refusal = refusal
      leave(standing)
    },
  })
  try {
    yield* messages(context, subject, standing)
    if (standing.refusal) throw standing.refusal
  } finally {
    stopWatching()
  }
}

async function* messages<State>(
  { feed, onTooSlow }: GraphQLContext,
  subject: Subject<State>,
  standing: Standing,
): AsyncGenerator<Message<State>, void> {
  const { eventSequenceId } = subject
  const isResumed = typeof subject.after === 'string'
  const after = isResumed ? sequenceOf(subject.after as string) : await feed.head(eventSequenceId)
  let state: State | null = null
  if (!isResumed) {
    state = await subject.present()
    yield { cursor: cursorOf(after), event: null, state }
    if (subject.isLast?.(state, null)) return
  }
  const filter = (event: RecordedEvent) => subject.concerns(event, standing.caller)
  if (isResumed && subject.isLast) {
    const present = await subject.present()
    if (subject.isLast(present, null)) {
      yield* whatIsLeft(feed, subject, { after, filter, present })
      return
    }
  }
  if (standing.hasLeft) return
  standing.events = feed.follow(eventSequenceId, { after, filter, onTooSlow })
  for await (const event of standing.events) {
    state = subject.next(state, event)
    yield { cursor: cursorOf(event.sequence), event, state }
    if (subject.isLast?.(state, event)) return
  }
}

/** Of a subject that has ended: no event follows for a client that has seen the last, so it gets the present state. */
async function* whatIsLeft<State>(
  feed: GraphQLContext['feed'],
  subject: Subject<State>,
  { after, filter, present }: { after: bigint; filter: (event: RecordedEvent) => boolean; present: State },
): AsyncGenerator<Message<State>, void> {
  let position = after
  let state: State | null = null
  for (;;) {
    const page = await feed.read(subject.eventSequenceId, position)
    for (const event of page.filter(filter)) {
      state = subject.next(state, event)
      yield { cursor: cursorOf(event.sequence), event, state }
      if (subject.isLast?.(state, event)) return
    }
    const last = page.at(-1)
    if (!last) break
    position = last.sequence
  }
  yield { cursor: cursorOf(position), event: null, state: present }
}

interface Watched {
  /** Throws when the current caller may not follow this. */
  permit(present: Caller): void
  lose(refusal: unknown): void
}

/** Checks every few seconds whether the caller still may; if not, everything on the connection ends. */
export function watchAccess({ access, authorization, closeConnection }: GraphQLContext, watched: Watched): () => void {
  const lose = (refusal: unknown) => {
    watched.lose(refusal)
    closeConnection?.()
  }
  return access.watch(authorization, (present, refusal) => {
    if (!present) return lose(refusal)
    try {
      watched.permit(present)
    } catch (error) {
      lose(error)
    }
  })
}
