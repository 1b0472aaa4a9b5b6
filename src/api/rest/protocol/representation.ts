import type { Caller } from '../../../calls/caller.ts'
import { answerRead } from './read.ts'
import type { ReadRoute, RestDependencies, Route, RouteAnswer, WriteRoute } from './route.ts'

/** What only the answer of the call itself shows: a representation would hide it for good. */
const SHOWN_ONCE = ['secret', 'token', 'downloadUrl', 'uploadUrl']

/**
 * The read that shows what a write is about, for `Prefer: return=representation`: that of its path, of the one thing in a
 * list of that path, of the id that it answers, or of the path above. Null where there is none.
 */
export function representedBy(route: WriteRoute, routes: readonly Route[]): ReadRoute | null {
  const shown = Object.keys(route.answer.shape)
  if (route.method === 'DELETE' || SHOWN_ONCE.some((name) => shown.includes(name))) return null
  const reads = routes.filter((one): one is ReadRoute => 'read' in one && isOfOneThing(one))
  const at = (path: string) => reads.find((one) => one.path === path)
  const above = route.path.slice(0, route.path.lastIndexOf('/'))
  // What the answer begins with is the id of what was made.
  const byId = reads.find(({ read }) => Object.keys(read.query.shape).join() === shown[0])
  return at(route.path) ?? at(route.path.replace(/s$/, '')) ?? byId ?? at(above) ?? null
}

/** Not a list, a statistic or a secret. */
const isOfOneThing = ({ read }: ReadRoute): boolean =>
  read.isSingle === true && read.mayBeCsv !== true && read.permission !== 'credentials:reveal'

/** What a write was sent, and what it has answered. */
interface Written {
  caller: Caller
  requestId: string
  input: Readonly<Record<string, unknown>>
  answer: RouteAnswer
}

/**
 * The answer of a write with the whole object in place of its own body. The write itself where the object cannot be shown:
 * the caller may not read it, or it is gone by now. RFC 7240 allows that, and the write has happened.
 */
export async function withRepresentation(
  dependencies: RestDependencies,
  route: ReadRoute,
  { caller, requestId, input, answer }: Written,
): Promise<RouteAnswer> {
  const asked = addressOf(route, input, answer)
  if (Object.keys(asked).length === 0 || !route.read.query.safeParse(asked).success) return answer
  try {
    const { text, headers } = await answerRead(dependencies, route, { caller, requestId }, asked)
    const { 'Preference-Applied': applied, ...others } = answer.headers
    const both = [applied, 'return=representation'].filter(Boolean).join(', ')
    const etag: Record<string, string> = headers.ETag === undefined ? {} : { ETag: headers.ETag }
    return { text, headers: { ...others, ...etag, 'Preference-Applied': both } }
  } catch {
    return answer
  }
}

/** The fields of the read: from what the write answers, from the operation that it has begun, and from what it was sent. */
function addressOf({ read }: ReadRoute, input: Written['input'], { text, headers }: RouteAnswer) {
  const body: Record<string, unknown> = JSON.parse(text)
  const begun = new URLSearchParams(headers['Operation-Location']?.split('?')[1])
  const places = [body, (body.appEnv ?? {}) as Record<string, unknown>, Object.fromEntries(begun), input]
  const fields = Object.keys(read.query.shape).flatMap((name) => {
    const value = places.map((place) => place[name]).find((one) => one !== undefined && one !== null)
    return value === undefined ? [] : [[name, value]]
  })
  const { envName, ...address } = Object.fromEntries(fields)
  // The id wins: the name may be a new one by now.
  return envName === undefined || address.appEnvId !== undefined ? address : { ...address, envName }
}
