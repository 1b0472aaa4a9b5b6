import { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { ProcessEnding } from '../../calls/wait.ts'
import type { Config } from '../../config/config.ts'
import { notFound } from '../../domain/errors.ts'
import { TrustedProxies } from '../../domain/trusted-proxies.ts'
import type { Services } from '../../services/services.ts'
import { mountGraphiqlFiles } from '../graphql/graphiql/page.ts'
import { accessRecorder, logAccess } from '../http/access-log.ts'
import { type Admission, createAdmission } from '../http/admission.ts'
import { answer, beginRequest, locateClient, type ServerEnv } from '../http/context.ts'
import { createHttpMetrics, serveMetrics } from '../http/http-metrics.ts'
import { identify } from '../http/identify.ts'
import { createRateLimits, type RateLimits } from '../http/rate-limits.ts'
import { limitBody } from '../http/request-body.ts'
import { findSignedIn } from '../http/signed-in.ts'
import { mountMcp } from '../mcp/mount-mcp.ts'
import { mountOauth } from '../oauth/mount-oauth.ts'
import { mountBackupFiles } from '../rest/endpoints/backup-files.ts'
import { mountLogFiles } from '../rest/endpoints/log-files.ts'
import { mountGitHooks } from '../rest/endpoints/receive-git-hook.ts'
import { mountUploads } from '../rest/endpoints/uploads.ts'
import { mountDocs } from '../rest/openapi/docs.ts'
import { answerProblem } from '../rest/protocol/errors.ts'
import { isLifecycleCall, mountRest, nearPaths } from '../rest/router.ts'
import { mountSignIn } from '../sign-in/mount-sign-in.ts'
import { CONSOLE_PATH, mountConsole } from './console-files.ts'
import { answerGraphQLError, GRAPHQL_PATH, type GraphQLHandler, mountGraphQL } from './graphql-route.ts'
import { answerReadiness, type Readiness } from './health.ts'
import { answerIndex } from './index-page.ts'
import { type ShortWay, shortWay } from './short-way.ts'

export interface ServerDependencies {
  services: Services
  config: Config
  log: Logger
  graphql: GraphQLHandler
  /** Parts that /readyz checks. */
  readiness: Readiness
  /** The services' rate limits on operations; created here when omitted. */
  limits?: RateLimits
  /** What counts requests, if the WebSocket handler shares it; created here when omitted. */
  admission?: Admission
  /** Where other modules register their metrics; /metrics shows all of it. */
  registry?: Registry
}

export interface ApiServer {
  fetch: Hono<ServerEnv>['fetch']
  request: Hono<ServerEnv>['request']
  /** Every method and path that it answers, with its steps before them. */
  routes: Hono<ServerEnv>['routes']
  /** For requests of a connection; everything that it hands on is for `fetch`. */
  short: ShortWay
  /** Reports "not ready" from now on, and ends every wait for an operation early. */
  drain(): void
}

/** The API server: REST, GraphQL, MCP, documentation, health and metrics on one port. */
export function createServer({
  services,
  config,
  log,
  graphql,
  readiness,
  ...optional
}: ServerDependencies): ApiServer {
  const limits = optional.limits ?? createRateLimits(config)
  const admission = optional.admission ?? createAdmission(services.authenticate, limits)
  const metrics = createHttpMetrics(optional.registry)
  const draining = new AbortController()
  const limited = limitBody(config.BERTH_BODY_LIMIT_KB)
  const identified = identify({ admission, isRequired: true })

  const proxies = new TrustedProxies(config.BERTH_TRUSTED_PROXIES)
  const record = accessRecorder(log, metrics)
  const app = new Hono<ServerEnv>()
  app.use(beginRequest, locateClient(proxies), logAccess(record))
  app.onError((error, c) => {
    if (c.req.path === GRAPHQL_PATH) return answerGraphQLError(c, error)
    return answerProblem(c, error, isLifecycleCall(c.req.method, c.req.path))
  })
  app.notFound((c) => answerProblem(c, notFound('path', c.req.path, nearPaths(c.req.path)), false))

  mountRest(app, { services, config, draining: draining.signal }, [identified, limited])
  mountUploads(app, { services, config, draining: draining.signal })
  mountBackupFiles(app, { services, config, draining: draining.signal })
  mountLogFiles(app, { services, config, draining: draining.signal })
  mountGitHooks(app, { services, config, draining: draining.signal }, admission)
  mountGraphQL(app, graphql, [identify({ admission, isRequired: false })])
  mountGraphiqlFiles(app)
  mountMcp(app, { services, config, draining: draining.signal, log }, [identified, limited])
  mountDocs(app)
  app.get('/', async (c) => {
    const isPerson = config.BERTH_CONSOLE && c.req.header('accept')?.includes('text/html')
    if (isPerson && (await findSignedIn(c, { admission }))) return answer(c, 303, null, { Location: CONSOLE_PATH })
    return answerIndex(c, { config, readiness, isDraining: draining.signal.aborted })
  })
  if (config.BERTH_CONSOLE) mountConsole(app)
  mountSignIn(app, { services, config, admission, log })
  mountOauth(app, { services, config, admission, log })
  app.get('/livez', (c) => answer(c, 200, 'ok', { 'Content-Type': 'text/plain; charset=utf-8' }))
  app.get('/readyz', (c) => answerReadiness(c, readiness, draining.signal.aborted))
  app.get('/metrics', serveMetrics(metrics, identified))

  const short = shortWay({ graphql, admission, proxies, record, limitKb: config.BERTH_BODY_LIMIT_KB })
  return {
    fetch: app.fetch,
    request: app.request,
    routes: app.routes,
    short,
    drain: () => draining.abort(new ProcessEnding()),
  }
}
