import { randomUUID } from 'node:crypto'
import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql'
import type { SubscribePayload } from 'graphql-ws'
import type { Logger } from 'pino'
import { DomainError } from '../../../domain/errors.ts'
import type { Arrival, GraphQLParts } from '../context.ts'
import { type ErrorTools, publicError, publicResult } from '../errors.ts'
import { withoutStatus, type Yoga } from './json-post.ts'

export interface SocketDependencies {
  yoga: Yoga
  parts: GraphQLParts
  log: Logger
  /** Fires when the server stops: no new operation starts then, and waits for operations end. */
  stopping: AbortSignal
}

type Enveloped = ReturnType<Yoga['getEnveloped']>

/** The state that graphql-ws passes from hook to hook, plus ours. */
export type SocketArguments = ExecutionArgs & { enveloped: Enveloped; tools: ErrorTools }

interface SocketOperation {
  payload: SubscribePayload
  address: string
  authorization: string | null
  /** The socket's other subscriptions. */
  others: number
  closeConnection: () => void
  onTooSlow: () => void
  /** False once the socket is closing: a later operation must not run, since its answer could not be sent. */
  canAnswer: () => boolean
}

/** Parses, validates and counts an operation; errors instead of arguments mean that it is refused. */
export async function prepare(
  { yoga, parts, log, stopping }: SocketDependencies,
  { payload: { query, operationName, variables }, others, canAnswer, ...from }: SocketOperation,
): Promise<SocketArguments | GraphQLError[]> {
  const requestId = `req_${randomUUID()}`
  const tools = { requestId, log }
  const arrival: Arrival = { requestId, ...from, signalOf: () => stopping }
  try {
    if (stopping.aborted || !canAnswer()) throw serverStopping()
    await checkBudgets(parts, others, from)
    const enveloped = yoga.getEnveloped({ arrival })
    const document = enveloped.parse(query)
    const errors = enveloped.validate(enveloped.schema, document) as GraphQLError[]
    if (errors.length > 0) return errorsOf({ errors }, tools)
    if (!getOperationAST(document, operationName)) throw new GraphQLError('The document has no such operation')
    const contextValue = await enveloped.contextFactory()
    const { schema } = enveloped
    return { schema, document, contextValue, operationName, variableValues: variables, enveloped, tools }
  } catch (error) {
    return errorsOf({ errors: [publicError(error, tools)] }, tools)
  }
}

export const serverStopping = (): DomainError =>
  new DomainError('UNAVAILABLE', 'STOPPING', 'This server is stopping: connect again, and go on from the last cursor', {
    retryAfterSeconds: 1,
  })

/** A result whose errors callers may read, without the parts that only HTTP uses. */
export const publicAnswer = (result: ExecutionResult, tools: ErrorTools): ExecutionResult =>
  withoutStatus(publicResult(result, tools))

const errorsOf = (result: ExecutionResult, tools: ErrorTools) => [...(publicAnswer(result, tools).errors ?? [])]

async function checkBudgets(
  { config, admission }: GraphQLParts,
  others: number,
  from: Pick<SocketOperation, 'address' | 'authorization'>,
): Promise<void> {
  const most = config.BERTH_SUBSCRIPTIONS_PER_SOCKET
  if (others >= most) {
    const message = `One WebSocket may have ${most} subscriptions; open another`
    throw new DomainError('RATE_LIMITED', 'TOO_MANY_SUBSCRIPTIONS', message)
  }
  const admitted = await admission?.admit(from)
  if (admitted && !admitted.caller) throw admitted.refusal
}

/** Turns a thrown error into an answer: it must not end the socket's other operations. */
export async function run({ enveloped, tools, ...args }: SocketArguments, how: 'execute' | 'subscribe') {
  try {
    const result = await enveloped[how](args)
    return Symbol.asyncIterator in result ? guarded(result as AsyncGenerator<ExecutionResult>, tools) : result
  } catch (error) {
    return { errors: [publicError(error, tools)] }
  }
}

/** A stream that ends with its error as its last answer, instead of throwing it. */
export function guarded(stream: AsyncGenerator<ExecutionResult>, tools: ErrorTools) {
  const ended = { done: true, value: undefined } as const
  let hasFailed = false
  return {
    async next() {
      if (hasFailed) return ended
      try {
        return await stream.next()
      } catch (error) {
        hasFailed = true
        return { done: false, value: { errors: [publicError(error, tools)] } } as const
      }
    },
    return: () => stream.return(undefined),
    throw: (error: unknown) => stream.throw(error),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
