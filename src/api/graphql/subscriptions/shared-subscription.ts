import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  executeSubscriptionEvent,
  mapSourceToResponseEvent,
  validateSubscriptionArgs,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Caller } from '../../../calls/caller.ts'
import type { RecordedEvent } from '../../../storage/events/event.ts'
import type { GraphQLContext } from '../context.ts'
import type { Message } from './follow.ts'

type Result = ExecutionResult | Promise<ExecutionResult>

/** Results computed for an event, by what they depend on. */
const results = new WeakMap<RecordedEvent, Map<string, Result>>()

/** An event is computed once for all equal subscriptions with equal rights, not once for each subscriber. */
export const sharedSubscriptionPlugin = (): Plugin => ({
  onSubscribe({ setSubscribeFn }) {
    setSubscribeFn((args: ExecutionArgs) => subscribeShared(args))
  },
})

async function subscribeShared(args: ExecutionArgs): Promise<AsyncIterable<ExecutionResult> | ExecutionResult> {
  const validated = validateSubscriptionArgs(args)
  if (!('schema' in validated)) return { errors: validated }
  const source = await createSourceEventStream(validated)
  if (!(Symbol.asyncIterator in source)) return source
  const asked = whatIsAsked(args)
  return mapSourceToResponseEvent(validated, source, (perEvent) => {
    const { event, state } = perEvent.rootValue as Message<unknown>
    if (!event) return executeSubscriptionEvent(perEvent)
    const known = results.get(event) ?? new Map<string, Result>()
    results.set(event, known)
    const key = asked + JSON.stringify(state)
    const result = known.get(key) ?? executeSubscriptionEvent(perEvent)
    known.set(key, result)
    return result
  })
}

/** Equal for two subscriptions only if both must get the same answer to every event. */
function whatIsAsked({ document, operationName, variableValues, contextValue }: ExecutionArgs): string {
  const { caller } = contextValue as GraphQLContext
  return `${numberOf(document)} ${JSON.stringify([operationName, variableValues])} ${rightsOf(caller)} `
}

const numbers = new WeakMap<object, number>()
let lastNumber = 0

/** The parser's cache keeps documents, so equal text is usually the same object. */
function numberOf(document: object): number {
  const known = numbers.get(document)
  if (known !== undefined) return known
  lastNumber += 1
  numbers.set(document, lastNumber)
  return lastNumber
}

const rights = new WeakMap<Caller, string>()

/** Everything that a resolver can read from a caller. One token's rights may differ from one check to the next. */
function rightsOf(caller: Caller): string {
  const known = rights.get(caller)
  if (known !== undefined) return known
  const plain = (_key: string, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...(value as Iterable<unknown>)] : value
  const text = JSON.stringify(caller, plain)
  rights.set(caller, text)
  return text
}
