import type { AnyCommand } from '../../calls/command.ts'
import type { AnyQuery } from '../../calls/query.ts'
import { GROUPS, isQuery } from '../../services/catalogue.ts'
import { readOf } from './protocol/reads.ts'
import type { ReadRoute, Route, WriteRoute } from './protocol/route.ts'

const routesOf = (call: AnyQuery | AnyCommand, group: string): Route[] =>
  isQuery(call) ? readRoutes(call, group) : writeRoutes(call, group)

const readRoutes = (query: AnyQuery, group: string): ReadRoute[] =>
  query.path === null ? [] : [{ method: 'GET', path: query.path, group, read: readOf(query) }]

function writeRoutes(command: AnyCommand, group: string): WriteRoute[] {
  const { rest } = command
  if (!rest) return []
  const { method, path, answer, isLifecycle = false, alias, required = [] } = rest
  const route = { method, path, group, command: requiring(command, required), answer: answer.type, isLifecycle }
  return alias ? [route, { ...route, path: alias.path, alias: alias.name }] : [route]
}

function requiring(command: AnyCommand, fields: readonly string[]): AnyCommand {
  if (fields.length === 0) return command
  return { ...command, input: command.input.required(Object.fromEntries(fields.map((name) => [name, true]))) }
}

const isRead = (route: Route) => 'read' in route

const byPath = (one: Route, other: Route) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0)

/** Every path of v1, by path; a read comes before the writes of its path. */
export const routes: readonly Route[] = GROUPS.flatMap(({ name, calls }) =>
  calls.flatMap((call) => routesOf(call, name)),
).sort((one, other) => byPath(one, other) || Number(isRead(other)) - Number(isRead(one)))
