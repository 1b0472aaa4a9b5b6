import { answer, type ServerContext } from '../../http/context.ts'
import { parseInput } from '../../services/kernel/perform.ts'
import { withinSeconds } from './deadline.ts'
import { etagOf, isUnchanged } from './etag.ts'
import { queryReader, searchOf } from './query.ts'
import { type ReadRoute, type RestDependencies, Versioned } from './route.ts'

/** Answers a GET: input from the query; an ETag, and 304 when the client already has the answer. */
export function readHandler({ services, config }: RestDependencies, { read }: ReadRoute) {
  const readQuery = queryReader(read.query)

  return async (c: ServerContext): Promise<Response> => {
    const query = parseInput(read.query, readQuery(searchOf(c.req.url)))
    const context = { services, config, caller: c.get('caller'), requestId: c.get('requestId') }
    const result = await withinSeconds(config.BERTH_REQUEST_TIMEOUT_SECONDS, read.run(context, query))
    const { body, version } = result instanceof Versioned ? result : { body: result, version: undefined }
    const text = JSON.stringify(body)
    const headers: Record<string, string> = { 'Content-Type': 'application/json' }
    if (!read.isSingle) return answer(c, 200, text, headers)
    const etag = etagOf(text, version)
    // Caches must revalidate each time; a 304 is cheap.
    Object.assign(headers, { ETag: etag, 'Cache-Control': 'private, no-cache' })
    if (isUnchanged(c.req.header('if-none-match'), etag)) return answer(c, 304, null, headers)
    return answer(c, 200, text, headers)
  }
}
