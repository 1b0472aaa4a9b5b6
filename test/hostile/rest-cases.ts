import { gzipSync } from 'node:zlib'
import { openApiDocument } from '../../src/api/rest/openapi/openapi.ts'
import { DEEP_TEXTS, STRINGS } from './corpus.ts'
import type { Draw } from './draw.ts'
import { inputOf, type JsonSchema, type Making } from './schema-values.ts'
import { chip, spoil } from './spoil.ts'
import type { Targets } from './targets.ts'
import type { Sent } from './wire.ts'

export interface Operation {
  path: string
  method: string
  query: { name: string; schema: JsonSchema; required?: boolean }[]
  body: JsonSchema | null
}

const document = openApiDocument() as JsonSchema & { paths: Record<string, Record<string, JsonSchema>> }

export const resolve = (ref: string): JsonSchema =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as JsonSchema)[key], document) as JsonSchema

export const OPERATIONS: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => operationOf(path, method, operation)),
)

function operationOf(path: string, method: string, operation: JsonSchema): Operation {
  const parameters = (operation.parameters ?? []) as { in?: string; name: string; schema: JsonSchema }[]
  const content = (operation.requestBody as { content?: Record<string, { schema: JsonSchema }> } | undefined)?.content
  return {
    path: `/api/public/v1${path}`,
    method: method.toUpperCase(),
    query: parameters.filter((parameter) => parameter.in === 'query'),
    body: content?.['application/json']?.schema ?? null,
  }
}

/** The numbered request, mostly right: operations of the OpenAPI document take turns. */
export function restCase(draw: Draw, targets: Targets, number: number): Sent {
  const isCalm = draw.chance(0.4)
  const making: Making = { draw, targets, resolve, isCalm }
  const operation = OPERATIONS[number % OPERATIONS.length] as Operation
  const query = operation.query.filter(({ required }) => required || draw.chance(0.4))
  const named = Object.fromEntries(query.map(({ name, schema }) => [name, inputOf(making, schema, name)]))
  const body = operation.body ? bodyOf(draw, inputOf(making, operation.body) as object, isCalm) : undefined
  return {
    method: draw.chance(0.95) ? operation.method : draw.one(METHODS),
    path: pathOf(draw, operation.path) + searchOf(draw, isCalm ? named : spoil(draw, named)),
    headers: headersOf(draw, operation.method !== 'GET'),
    ...(body === undefined ? {} : { body }),
  }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE']

function bodyOf(draw: Draw, right: object, isCalm: boolean): string | Buffer {
  const text = JSON.stringify(!isCalm && draw.chance(0.7) ? spoil(draw, right) : right)
  if (draw.chance(0.85)) return text
  const bytes = Buffer.from(text)
  return draw.one<() => string | Buffer>([
    () => chip(draw, text),
    () => `${text.slice(0, -1)},"name":"twice","name":"thrice"}`,
    () => draw.one(DEEP_TEXTS),
    () => draw.one(['', 'null', '[]', '"text"', '1', '{}', ' ', '\ufeff{}', '{}{}']),
    () => Buffer.concat([bytes.subarray(0, 12), Buffer.from([0xc3, 0x28, 0xff]), bytes.subarray(12)]),
    () => gzipSync(text),
    () => bytes.subarray(0, Math.max(1, bytes.length - draw.whole(1, 9))),
  ])()
}

const TWISTS: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => path.replace('/v1/', '/v1//'),
  (path) => path.replace('/v1/', '/v1/../v1/'),
  (path) => `${path}/%2e%2e/app`,
  (path) => path.toUpperCase(),
  (path) => `${path}%00`,
  (path) => `${path};a=b`,
  (path) => `${path}%`,
  (path) => `${path}%ff%fe`,
  (path) => path.replace('a', '%61'),
  (path) => `//evil.example${path}`,
  (path) => `http://evil.example${path}`,
  (path) => `${path}${'/a'.repeat(2_000)}`,
  () => '/docs/../../../etc/passwd',
  () => '/docs/%2e%2e/%2e%2e/package.json',
  () => '*',
]

const pathOf = (draw: Draw, path: string) => (draw.chance(0.93) ? path : draw.one(TWISTS)(path))

function searchOf(draw: Draw, query: object): string {
  const parts = Object.entries(query).map(
    ([name, value]) => `${escaped(name)}=${escaped(typeof value === 'object' ? JSON.stringify(value) : String(value))}`,
  )
  if (draw.chance(0.2)) parts.push(`dryRun=${draw.one(['true', 'false', 'TRUE', '1', ''])}`)
  if (draw.chance(0.05))
    parts.push(draw.one(['%', '%zz=%u0041', '&&&', 'a[b]=c', 'limit=1&limit=2', '=', `q=${'x'.repeat(9_000)}`]))
  return parts.length > 0 ? `?${parts.join('&')}` : ''
}

/** encodeURIComponent has no way to say a lone surrogate. */
const escaped = (text: string) => encodeURIComponent(text.toWellFormed()).slice(0, 6_000)

const HEADER_TRICKS: readonly ((draw: Draw) => Sent['headers'])[] = [
  (draw) => ({
    authorization: draw.one([null, '', 'Bearer', 'Bearer  x', 'Basic YTpi', 'x'.repeat(4_000), '\xff', 'bearer\tx']),
  }),
  (draw) => ({ 'idempotency-key': draw.one(['', 'a', 'x'.repeat(256), '\xe9', 'a b', '"quoted"', ...PRINTABLE]) }),
  (draw) => ({ 'if-match': draw.one(['*', '"v1"', 'W/"v1"', '"v999999999"', '"v1", "v2"', '"', '""', ...PRINTABLE]) }),
  (draw) => ({ 'if-none-match': draw.one(['*', '"v1"', ','.repeat(3_000), ...PRINTABLE]) }),
  (draw) => ({
    prefer: draw.one([
      'wait=0',
      'wait=1',
      'wait=-1',
      'wait=1e9',
      'wait',
      'wait=',
      '"'.repeat(3_000),
      'wait="1',
      ...PRINTABLE,
    ]),
  }),
  (draw) => ({ 'x-request-id': draw.one(['', 'mine', 'x'.repeat(129), 'a b', ...PRINTABLE]) }),
  (draw) => ({ 'content-type': draw.one(CONTENT_TYPES) }),
  (draw) => ({ 'content-encoding': draw.one(['gzip', 'deflate', 'br', 'identity', 'x', 'gzip, gzip']) }),
  (draw) => ({ accept: draw.one(['text/html', '*/*', 'text/event-stream', 'application/json;q=0', '', ...PRINTABLE]) }),
  (draw) => ({
    host: draw.one(['evil.example', 'localhost:99999', 'a b', '', '[::1', '127.0.0.1#', 'a/b', '@', 'x'.repeat(300)]),
  }),
  (draw) => ({ expect: draw.one(['100-continue', '200-ok']) }),
  (draw) => ({
    'x-forwarded-for': draw.one(PRINTABLE),
    'x-forwarded-host': 'evil',
    'x-http-method-override': 'DELETE',
  }),
  (draw) => ({ cookie: draw.one(PRINTABLE), origin: 'https://evil.example', referer: draw.one(PRINTABLE) }),
  () => ({ connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAARAAAAAAAIAAAAA' }),
  () => ({ range: 'bytes=0-0,1-1,5-', te: 'trailers', 'accept-encoding': 'gzip;q=1.5, *;q=0' }),
]

const PRINTABLE = STRINGS.filter((text) => /^[\x20-\x7e]*$/.test(text))

const CONTENT_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=a',
  'application/graphql',
  '',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json;charset="utf-8"',
  'APPLICATION/JSON',
  'application/jsonp',
  'application/json;;',
  'application/json, text/plain',
  ...PRINTABLE,
]

function headersOf(draw: Draw, isWrite: boolean): Sent['headers'] {
  const headers: Sent['headers'] = {}
  for (let times = draw.one([0, 0, 0, 0, 1, 2]); times > 0; times -= 1) {
    Object.assign(headers, draw.one(HEADER_TRICKS)(draw))
  }
  if (isWrite && draw.chance(0.1)) headers['idempotency-key'] = `key-${draw.whole(1, 50)}`
  return headers
}
