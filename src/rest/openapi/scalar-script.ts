/** A route of Fastify, as far as the plugin's own are used here. */
interface ScriptRoute {
  url: string
  handler(request: null, reply: Reply): unknown
}

interface Reply {
  header(name: string, value: string): Reply
  send(body: string): string
}

/**
 * The script of Scalar's API reference for browsers. The package for Fastify is the one that carries it whole: the
 * reference's own package brings a hundred others, which only its build needs. So the plugin is given a server that
 * takes its routes, and the route of the script is asked for it.
 */
export async function scalarScript(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference')
  const routes: ScriptRoute[] = []
  const server = { route: (route: ScriptRoute) => routes.push(route), initialConfig: {} }
  plugin(server as never, { routePrefix: '/docs', configuration: { url: '/openapi.json' } }, () => {})
  const route = routes.find(({ url }) => url.endsWith('.js'))
  if (!route) throw new Error('@scalar/fastify-api-reference serves its script in an unknown way')
  const reply: Reply = { header: () => reply, send: (body) => body }
  return route.handler(null, reply) as string
}
