import type { Hono } from 'hono'
import { nearNames } from '../../domain/near-names.ts'
import { withoutTrailing } from '../../domain/without-trailing.ts'
import type { ServerContext, ServerEnv, ServerMiddleware } from '../http/context.ts'
import { answer } from '../http/context.ts'
import { MethodNotAllowed } from './protocol/errors.ts'
import { readHandler } from './protocol/read.ts'
import { representedBy } from './protocol/representation.ts'
import { BASE_PATH, type RestDependencies, type Route } from './protocol/route.ts'
import { writeHandler } from './protocol/write.ts'
import { routes } from './routes.ts'

const lifecyclePaths: ReadonlySet<string> = new Set(
  routes.filter((route) => 'isLifecycle' in route && route.isLifecycle).map((route) => BASE_PATH + route.path),
)
const readPaths: ReadonlySet<string> = new Set(
  routes.filter((route) => 'read' in route).map((route) => BASE_PATH + route.path),
)

/** Refusals of these calls say `success: false`, whichever layer refuses. */
export const isLifecycleCall = (method: string, path: string): boolean =>
  lifecyclePaths.has(path) && !(method === 'GET' && readPaths.has(path))

/** Puts every path on the app, each with the same steps: who calls, how much they send, then the handler. */
export function mountRest(
  app: Hono<ServerEnv>,
  dependencies: RestDependencies,
  steps: readonly ServerMiddleware[],
): void {
  for (const route of routes) {
    const path = BASE_PATH + route.path
    const handle =
      'read' in route
        ? readHandler(dependencies, route)
        : writeHandler(dependencies, route, representedBy(route, routes))
    const named: ServerMiddleware = (c, next) => {
      c.set('route', path)
      return next()
    }
    app.on(route.method, path, named, ...steps, handle)
  }
  for (const [path, allow] of allowedMethods(routes)) app.all(path, (c) => refuseMethod(c, allow))
}

/** What an unknown path may stand for, with the methods that it has; null where nothing is near. */
export function nearPaths(path: string): string | null {
  const paths = [...new Set(routes.map((route) => route.path))]
  // The prefix may be what is wrong or missing.
  const named = withoutTrailing(path, '/').replace(/^(\/api)?(\/public)?(\/v\d+)?(?=\/)/, '')
  const near = paths.includes(named) ? [named] : nearNames(named, paths)
  const methodsOf = (of: string) => routes.filter((route) => route.path === of).map(({ method }) => method)
  const listed = near.map((one) => `${methodsOf(one).join(', ')} ${BASE_PATH}${one}`)
  return listed.length > 0 ? `did you mean ${listed.join(' or ')}?` : null
}

function allowedMethods(all: readonly Route[]): Map<string, string> {
  const methods = new Map<string, Set<string>>()
  for (const { method, path } of all) {
    const known = methods.get(BASE_PATH + path) ?? new Set<string>()
    known.add(method)
    if (method === 'GET') known.add('HEAD')
    methods.set(BASE_PATH + path, known)
  }
  return new Map([...methods].map(([path, known]) => [path, [...known, 'OPTIONS'].sort().join(', ')]))
}

/** OPTIONS is answered without any CORS header: other origins have no business here. */
export function refuseMethod(c: ServerContext, allow: string): Response {
  if (c.req.method === 'OPTIONS') return answer(c, 204, null, { Allow: allow })
  throw new MethodNotAllowed(c.req.method, allow)
}
