import { type IncomingHttpHeaders, IncomingMessage, type ServerResponse } from 'node:http'
import type { Hono } from 'hono'
import { permit } from '../../calls/caller.ts'
import type { Config } from '../../config/config.ts'
import { DomainError, notFound } from '../../domain/errors.ts'
import { SCOPES } from '../../domain/permissions.ts'
import { addressOf, answerJson, type ServerContext, type ServerEnv, type ServerMiddleware } from '../http/context.ts'
import { issuerOf, OAUTH_PATHS, RESOURCE_PATHS } from '../http/oauth-addresses.ts'
import { readBytes, readJsonObject } from '../http/request-body.ts'
import { readRegistration } from './client-metadata.ts'
import { answerConsent, askConsent, type OauthParts } from './consent.ts'
import type { OauthServer } from './oauth-server.ts'

/** Each registration costs as much as so many other requests of a client without a token. */
const REGISTRATION_COST = 20
/** As much as the library takes: it would answer a longer body as another error. */
const BODY_LIMIT_KB = 56
/** Of loopback addresses with other ports; one with BERTH_API_URL. */
const MAX_ISSUERS = 4

/**
 * OAuth 2.1 for applications of others: the library's endpoints, the page of consent, and the documents that describe
 * both.
 */
export function mountOauth(app: Hono<ServerEnv>, parts: OauthParts): void {
  const serverFor = rememberServers(parts)
  const { authorization, token, revocation, registration, deviceAuthorization, device, consent, metadata } = OAUTH_PATHS
  const counted: ServerMiddleware = async (c, next) => {
    await parts.admission.admitAddress(addressOf(c))
    await parts.admission.chargeAnonymous(addressOf(c), c.req.path === registration ? REGISTRATION_COST : 1)
    return next()
  }
  const on = (methods: string[], path: string, ...steps: [...ServerMiddleware[], Handle]) => {
    const named: ServerMiddleware = (c, next) => {
      c.set('route', path)
      return next()
    }
    app.on(methods, path, named, ...steps)
  }
  const library: Handle = async (c) => answerBy(await serverFor(c), c, await receivedRequest(c))
  for (const path of [authorization, `${authorization}/:uid`, `${device}/:uid`, metadata])
    on(['GET'], path, counted, library)
  on(['GET', 'POST'], device, counted, library)
  for (const path of [token, revocation, deviceAuthorization]) on(['POST', 'OPTIONS'], path, counted, library)
  on(['POST'], registration, counted, async (c) => register(c, parts, () => serverFor(c)))
  on(['GET'], `${consent}/:uid`, async (c) => askConsent(c, parts, await serverFor(c)))
  on(['POST'], `${consent}/:uid`, async (c) => answerConsent(c, parts, await serverFor(c)))
  for (const path of RESOURCE_PATHS)
    on(['GET'], OAUTH_PATHS.resourceMetadata + path, counted, async (c) => describeResource(c, parts.config, path))
}

type Handle = (c: ServerContext) => Promise<Response>

/** Loads the library on the first request, and keeps a server for each issuer. */
function rememberServers({ services, config, log }: OauthParts) {
  const servers = new Map<string, Promise<OauthServer>>()
  return (c: ServerContext): Promise<OauthServer> => {
    const issuer = requireIssuer(c, config)
    const known = servers.get(issuer)
    if (known) return known
    const made = import('./oauth-server.ts').then(async ({ createOauthServer }) => {
      const cookieKey = await services.oauth.cookieKey()
      return createOauthServer(issuer, { services, config, log, cookieKey })
    })
    made.catch(() => servers.delete(issuer))
    if (servers.size >= MAX_ISSUERS) servers.clear()
    servers.set(issuer, made)
    return made
  }
}

function requireIssuer(c: ServerContext, config: Config): string {
  const issuer = issuerOf(config, c.req.url)
  if (issuer !== null) return issuer
  if (!config.BERTH_OAUTH) throw notFound('path', c.req.path)
  const message = 'OAuth needs a fixed address of this installation: set BERTH_API_URL, or use localhost'
  throw new DomainError('NOT_FOUND', undefined, message)
}

interface NodeBindings {
  incoming: IncomingMessage
  outgoing: ServerResponse
}

const nodeOf = (c: ServerContext) => c.env as unknown as NodeBindings

/** Lets the library answer on the connection itself. */
async function answerBy(server: OauthServer, c: ServerContext, request: IncomingMessage): Promise<Response> {
  const { outgoing } = nodeOf(c)
  for (const [name, value] of Object.entries(c.get('headers'))) outgoing.setHeader(name, value)
  await server.answer(request, outgoing, { requestId: c.get('requestId'), address: addressOf(c) })
  // A copy, because the server would write out one of its own Response without looking at its headers.
  return new Response(null, { status: outgoing.statusCode, headers: { 'x-hono-already-sent': 'true' } }).clone()
}

async function register(c: ServerContext, parts: OauthParts, find: () => Promise<OauthServer>): Promise<Response> {
  const { config } = parts
  requireIssuer(c, config)
  if (config.BERTH_OAUTH_REGISTRATION === 'off') throw notFound('path', c.req.path)
  if (config.BERTH_OAUTH_REGISTRATION === 'admin') await requireAdmin(c, parts)
  const read = readRegistration(await readJsonObject(c.req.raw, BODY_LIMIT_KB))
  if ('refused' in read) return answerJson(c, 400, read.refused)
  // What was sent, but for what the library shall not see.
  const bytes = Buffer.from(JSON.stringify(read.metadata))
  const { host } = nodeOf(c).incoming.headers
  return answerBy(await find(), c, requestWith(c, { host, 'content-type': 'application/json' }, bytes))
}

/** RFC 7591 §3: the initial access token is one of Berth's own. */
async function requireAdmin(c: ServerContext, { admission }: OauthParts): Promise<void> {
  const authorization = c.req.header('authorization')
  const { caller, refusal } = await admission.admit({ address: addressOf(c), authorization })
  if (!caller) throw refusal
  permit(caller, 'installation:manage', { accountId: null })
}

/** The request, with its body read as all bodies are: the library's own reader answers a long one with 500 or 400. */
async function receivedRequest(c: ServerContext): Promise<IncomingMessage> {
  const { incoming } = nodeOf(c)
  if (incoming.method !== 'POST') return incoming
  const bytes = Buffer.from((await readBytes(c.req.raw, BODY_LIMIT_KB)) as ArrayBuffer)
  const { 'transfer-encoding': _chunked, ...headers } = incoming.headers
  return requestWith(c, headers, bytes)
}

/** The same request with other headers and another body. */
function requestWith(c: ServerContext, headers: IncomingHttpHeaders, bytes: Buffer): IncomingMessage {
  const { socket, method, url } = nodeOf(c).incoming
  const request = new IncomingMessage(socket)
  const own = { ...headers, 'content-length': String(bytes.length) }
  Object.assign(request, { method, url, headers: own, complete: true })
  request.push(bytes)
  request.push(null)
  return request
}

/** RFC 9728: who gives tokens for a part of the API. */
function describeResource(c: ServerContext, config: Config, path: string): Response {
  const issuer = requireIssuer(c, config)
  return answerJson(c, 200, {
    resource: issuer + path,
    authorization_servers: [issuer],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Berth',
    resource_documentation: `${issuer}/docs`,
  })
}
