import { parseInput } from '../../../calls/perform.ts'
import { Csv, Versioned } from '../../../calls/query.ts'
import { answer, type ServerContext } from '../../http/context.ts'
import { etagOf, isUnchanged } from '../../http/etag.ts'
import { withinSeconds } from './deadline.ts'
import { queryReader, searchOf } from './query.ts'
import type { ReadContext, ReadRoute, RestDependencies, RouteAnswer } from './route.ts'

/** Answers a GET: input from the query; an ETag, and 304 when the client already has the answer. */
export function readHandler(dependencies: RestDependencies, route: ReadRoute) {
  const readQuery = queryReader(route.read.query)

  return async (c: ServerContext): Promise<Response> => {
    const who = { caller: c.get('caller'), requestId: c.get('requestId'), origin: originIn(c.req.url) }
    const preferred = route.read.mayBeCsv && prefersCsv(c.req.header('accept')) ? { format: 'csv' } : {}
    const query = { ...preferred, ...readQuery(searchOf(c.req.url)) }
    const { text, headers } = await answerRead(dependencies, route, who, query)
    if (headers.ETag && isUnchanged(c.req.header('if-none-match'), headers.ETag)) return answer(c, 304, null, headers)
    return answer(c, 200, text, headers)
  }
}

/** Of a whole address: parsing it would cost more than most reads. */
const originIn = (url: string): string => url.slice(0, url.indexOf('/', url.indexOf('://') + 3))

const prefersCsv = (accept = ''): boolean => /\btext\/csv\b/.test(accept) && !/\bapplication\/json\b/.test(accept)

/** Runs a read: the one way for every transport. */
export async function answerRead(
  { services, config }: RestDependencies,
  { read }: ReadRoute,
  who: Pick<ReadContext, 'caller' | 'requestId' | 'origin'>,
  input: unknown,
): Promise<RouteAnswer> {
  const query = parseInput(read.query, input)
  const running = read.run({ services, config, ...who }, query)
  const result = await withinSeconds(config.BERTH_REQUEST_TIMEOUT_SECONDS, running)
  if (result instanceof Csv) return { text: result.text, headers: csvHeaders(result, input) }
  const { body, version } = result instanceof Versioned ? result : { body: result, version: undefined }
  const text = JSON.stringify(body)
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  // Caches must revalidate each time; a 304 is cheap.
  if (read.isSingle) Object.assign(headers, { ETag: etagOf(text, version), 'Cache-Control': 'private, no-cache' })
  return { text, headers }
}

/** The next page is named by RFC 8288, because lines have no place for a cursor. */
function csvHeaders({ nextCursor }: Csv, input: unknown): Record<string, string> {
  const type = { 'Content-Type': 'text/csv; charset=utf-8' }
  if (nextCursor === null) return type
  const query = new URLSearchParams({ ...(input as Record<string, string>), cursor: nextCursor })
  return { ...type, Link: `<?${query}>; rel="next"` }
}
