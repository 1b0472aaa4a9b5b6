import { COMMANDS, QUERIES } from '../../services/catalogue.ts'
import { readOf } from './protocol/reads.ts'
import type { ReadRoute, Route, WriteRoute } from './protocol/route.ts'

const reads: readonly ReadRoute[] = QUERIES.flatMap((query) =>
  query.path === null ? [] : [{ method: 'GET' as const, path: query.path, read: readOf(query) }],
)

const writes: readonly WriteRoute[] = COMMANDS.flatMap((command) => {
  const { rest } = command
  if (!rest) return []
  const { method, path, answer, isLifecycle = false, alias } = rest
  const route = { method, path, command, answer: answer.type, isLifecycle }
  return alias ? [route, { ...route, path: alias.path, alias: alias.name }] : [route]
})

/** Every path of v1, by path; a read comes before the writes of its path. */
export const routes: readonly Route[] = [...reads, ...writes].sort((one, other) =>
  one.path < other.path ? -1 : one.path > other.path ? 1 : 0,
)
