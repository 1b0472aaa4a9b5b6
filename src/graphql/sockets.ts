import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import { randomUUID } from 'node:crypto'
import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql'
import type { Context, SubscribePayload } from 'graphql-ws'
import { type Extra, useServer } from 'graphql-ws/use/ws'
import type { Logger } from 'pino'
import { WebSocketServer } from 'ws'
import { DomainError } from '../domain/errors.ts'
import type { Arrival, GraphQLParts } from './context.ts'
import { publicError, publicResult } from './errors.ts'
import { withoutStatus, type Yoga } from './json-door.ts'

const PATH = '/graphql'
const KEEP_ALIVE_MS = 12_000
const INIT_WAIT_MS = 5_000
const FORBIDDEN = 4403
const GOING_AWAY = 1001

/** As much of the server's rate limits as a socket needs. */
export interface RequestBudget {
  consumeRequest(key: string): Promise<{ refusal: DomainError | null }>
}

interface SocketDependencies {
  yoga: Yoga
  parts: GraphQLParts
  log: Logger
  limits: RequestBudget | undefined
}

type SocketContext = Context<Record<string, unknown> | undefined, Extra & { stopWatching?: () => void }>
type Enveloped = ReturnType<Yoga['getEnveloped']>
type Arguments = ExecutionArgs & { enveloped: Enveloped; requestId: string }

/** Operations over WebSocket, by the protocol graphql-transport-ws, through the same plugins as over HTTP. */
export function attachSockets({ yoga, parts, log, limits }: SocketDependencies) {
  const maxPayload = parts.config.BERTH_BODY_LIMIT_KB * 1024
  const sockets = new WebSocketServer({ noServer: true, maxPayload })
  const server = useServer<Record<string, unknown> | undefined, { stopWatching?: () => void }>(
    {
      connectionInitWaitTimeout: INIT_WAIT_MS,
      onConnect: (context) => admit(parts, context as SocketContext),
      onClose: (context) => (context as SocketContext).extra.stopWatching?.(),
      onSubscribe: (context, _id, payload) => prepare({ yoga, parts, log, limits }, context as SocketContext, payload),
      execute: (args) => run(args as unknown as Arguments, 'execute', log) as never,
      subscribe: (args) => run(args as unknown as Arguments, 'subscribe', log) as never,
      onNext: (_context, _id, _payload, args, result) =>
        withoutStatus(publicResult(result as ExecutionResult, toolsOf(args as unknown as Arguments, log))),
      onError: (_context, _id, _payload, errors) =>
        errors.map((error) => error).flatMap((error) => toPlain(error as GraphQLError, log)),
    },
    sockets,
    KEEP_ALIVE_MS,
  )
  // A frame that is too large, or no frame at all, ends its own socket; nothing else is to be done.
  sockets.on('connection', (socket) => socket.on('error', (error) => log.debug({ err: error }, 'A WebSocket failed')))

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const path = request.url?.split('?')[0]
    if (path !== PATH) return socket.destroy()
    sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request))
  }

  return {
    attach: (http: Server) => void http.on('upgrade', upgrade),
    async close() {
      for (const client of sockets.clients) client.close(GOING_AWAY, 'The server is stopping')
      await server.dispose()
    },
  }
}

const toPlain = (error: GraphQLError, log: Logger) =>
  withoutStatus(publicResult({ errors: [error] }, { requestId: 'unknown', log })).errors ?? []

const toolsOf = ({ requestId }: Arguments, log: Logger) => ({ requestId, log })

/** Browsers cannot set headers on a WebSocket, so the token may come in the first message instead. */
function authorizationOf({ connectionParams, extra }: SocketContext): string | null {
  const sent = connectionParams?.Authorization ?? connectionParams?.authorization
  return typeof sent === 'string' ? sent : (extra.request.headers.authorization ?? null)
}

/** False closes the socket with 4403: there is nothing to do here without a token. */
async function admit({ access, services }: GraphQLParts, context: SocketContext): Promise<boolean> {
  const authorization = authorizationOf(context)
  try {
    await services.authenticate(authorization)
  } catch {
    return false
  }
  const { extra } = context
  extra.stopWatching = access.watch(authorization, (present) => {
    if (!present) extra.socket.close(FORBIDDEN, 'Forbidden')
  })
  return true
}

async function prepare(
  { yoga, parts, log, limits }: SocketDependencies,
  context: SocketContext,
  { query, operationName, variables }: SubscribePayload,
): Promise<Arguments | GraphQLError[]> {
  const requestId = `req_${randomUUID()}`
  const { extra, subscriptions } = context
  const closeConnection = () => extra.socket.close(FORBIDDEN, 'Forbidden')
  const arrival: Arrival = { requestId, authorization: authorizationOf(context), closeConnection }
  try {
    // The new one is counted already.
    await checkBudgets(parts, Object.keys(subscriptions).length - 1, arrival, limits)
    const enveloped = yoga.getEnveloped({ arrival })
    const document = enveloped.parse(query)
    const errors = enveloped.validate(enveloped.schema, document) as GraphQLError[]
    if (errors.length > 0) return (withoutStatus(publicResult({ errors }, { requestId, log })).errors ?? []) as GraphQLError[]
    if (!getOperationAST(document, operationName)) throw new GraphQLError('The document has no such operation')
    const contextValue = await enveloped.contextFactory()
    const { schema } = enveloped
    return { schema, document, contextValue, operationName, variableValues: variables, enveloped, requestId }
  } catch (error) {
    return withoutStatus({ errors: [publicError(error, { requestId, log })] }).errors as GraphQLError[]
  }
}

async function checkBudgets(parts: GraphQLParts, others: number, { authorization }: Arrival, limits?: RequestBudget): Promise<void> {
  const most = parts.config.BERTH_SUBSCRIPTIONS_PER_SOCKET
  if (others >= most) {
    throw new DomainError('RATE_LIMITED', 'TOO_MANY_SUBSCRIPTIONS', `One WebSocket may have ${most} subscriptions; open another`)
  }
  if (!limits) return
  const { tokenId } = await parts.services.authenticate(authorization)
  const { refusal } = await limits.consumeRequest(tokenId)
  if (refusal) throw refusal
}

/** What is thrown on the way becomes an answer: an error must not take the other operations' socket with it. */
async function run(args: Arguments, how: 'execute' | 'subscribe', log: Logger) {
  const { enveloped, requestId, ...rest } = args
  const tools = { requestId, log }
  try {
    const result = await enveloped[how](rest)
    return Symbol.asyncIterator in result ? guarded(result as AsyncGenerator<ExecutionResult>, tools) : result
  } catch (error) {
    return { errors: [publicError(error, tools)] }
  }
}

function guarded(stream: AsyncGenerator<ExecutionResult>, tools: { requestId: string; log: Logger }) {
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
