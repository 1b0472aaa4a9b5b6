import type { Caller } from '../../../calls/caller.ts'
import {
  type AnyCommand,
  type CallOptions,
  type CommandResult,
  hasBegun,
  operationsOf,
} from '../../../calls/command.ts'
import { invalidField } from '../../../domain/errors.ts'
import { addressOf, answer, type ServerContext } from '../../http/context.ts'
import { expectedVersionOf, versionEtag } from '../../http/etag.ts'
import { readJsonObject } from '../../http/request-body.ts'
import { withinSeconds } from './deadline.ts'
import { waitOf, wantsRepresentation } from './prefer.ts'
import { queryReader, searchOf } from './query.ts'
import { withRepresentation } from './representation.ts'
import { BASE_PATH, type ReadRoute, type RestDependencies, type RouteAnswer, type WriteRoute } from './route.ts'

/** Runs a command: input from the body (DELETE: or the query), options from headers, answer in the route's shape. */
export function writeHandler(dependencies: RestDependencies, route: WriteRoute, represented: ReadRoute | null) {
  const { config, draining } = dependencies
  const takesQuery = route.method === 'DELETE'
  const { defaultWaitSeconds } = route.command
  const usualWait = defaultWaitSeconds && Math.min(defaultWaitSeconds, config.BERTH_MAX_WAIT_SECONDS)
  const readQuery = queryReader(route.command.input)

  return async (c: ServerContext): Promise<Response> => {
    const search = new URLSearchParams(searchOf(c.req.url))
    const dryRun = takeDryRun(search)
    const options: CallOptions = {
      requestId: c.get('requestId'),
      api: 'rest',
      address: addressOf(c),
      origin: new URL(c.req.url).origin,
      dryRun,
      idempotencyKey: c.req.header('idempotency-key'),
      expectedVersion: expectedVersionOf(c.req.header('if-match')),
      waitSeconds: waitOf(c.req.header('prefer'), config.BERTH_MAX_WAIT_SECONDS) ?? usualWait,
    }
    if (options.waitSeconds) options.signal = AbortSignal.any([c.req.raw.signal, draining])
    if (!takesQuery) refuseFields(search)
    const body = await readJsonObject(c.req.raw, config.BERTH_BODY_LIMIT_KB)
    const input = takesQuery ? together(readQuery(search), body) : body
    const caller = c.get('caller')
    const written = await answerWrite(dependencies, route, { caller, input, options })
    const isShown = represented && !dryRun && wantsRepresentation(c.req.header('prefer'))
    const { text, headers } = isShown
      ? await withRepresentation(dependencies, represented, {
          caller,
          requestId: options.requestId,
          input,
          answer: written,
        })
      : written
    return answer(c, 200, text, headers)
  }
}

interface WriteCall {
  caller: Caller
  input: unknown
  options: CallOptions
}

/** Runs a command, and answers in the route's shape: the one way for every transport. */
export async function answerWrite(
  { services, config }: RestDependencies,
  { command, answer: { shape } }: WriteRoute,
  { caller, input, options }: WriteCall,
): Promise<RouteAnswer> {
  const seconds = config.BERTH_REQUEST_TIMEOUT_SECONDS + (options.waitSeconds ?? 0)
  const performing = services.perform(caller, command, input, options)
  const { result, replayed } = await withinSeconds(seconds, performing)
  const fields = Object.keys(shape)
  const body = bodyOf(result, options.dryRun ? [...fields, 'dryRun', 'changes'] : fields)
  return { text: JSON.stringify(body), headers: headersOf(command, result, options, replayed) }
}

function takeDryRun(search: URLSearchParams): boolean {
  const given = search.getAll('dryRun')
  search.delete('dryRun')
  if (given.length > 1) throw invalidField('dryRun', 'is there twice')
  if (given[0] !== undefined && given[0] !== 'true' && given[0] !== 'false')
    throw invalidField('dryRun', 'must be true or false')
  return given[0] === 'true'
}

function refuseFields(search: URLSearchParams): void {
  const [first] = search.keys()
  if (first !== undefined) throw invalidField(first, 'is not a query parameter of this call; send it in the body')
}

/** The fields of query and body. One that is in both must mean the same: else the wrong thing might be deleted. */
function together(query: Record<string, unknown>, body: Record<string, unknown>): Record<string, unknown> {
  const differing = Object.keys(query).find((name) => Object.hasOwn(body, name) && body[name] !== query[name])
  if (differing !== undefined) throw invalidField(differing, 'is in the query and in the body, with another value')
  return { ...body, ...query }
}

/** The fields that the route declares, in its order. */
function bodyOf(result: CommandResult, fields: string[]): Record<string, unknown> {
  return Object.fromEntries(fields.flatMap((field) => (field in result ? [[field, result[field]]] : [])))
}

function headersOf(
  command: AnyCommand,
  result: CommandResult,
  options: CallOptions,
  replayed: boolean,
): Record<string, string> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  // `version` may be a field of the answer that means something else.
  const { operationStatus, version, recordVersion = version } = result
  if (replayed) headers['Idempotent-Replayed'] = 'true'
  if (options.dryRun) return headers
  const [operationId, ...others] = operationsOf(result)
  if (operationId !== undefined && others.length === 0)
    headers['Operation-Location'] = `${BASE_PATH}/operation?operationId=${operationId}`
  const isAwaited = options.waitSeconds !== undefined && hasBegun(command, result)
  if (isAwaited) headers['Preference-Applied'] = `wait=${options.waitSeconds}`
  if (typeof operationStatus === 'string') headers['Operation-Status'] = operationStatus
  if (typeof recordVersion === 'number') headers.ETag = versionEtag(recordVersion)
  return headers
}
