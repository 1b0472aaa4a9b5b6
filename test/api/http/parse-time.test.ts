import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { expectedVersionOf, isUnchanged } from '../../../src/api/http/etag.ts'
import { isJson } from '../../../src/api/http/request-body.ts'
import { waitOf } from '../../../src/api/rest/protocol/prefer.ts'
import { routes } from '../../../src/api/rest/routes.ts'
import { presentedHash, tokenOf } from '../../../src/calls/authenticate.ts'
import { parseHostName } from '../../../src/domain/host-name.ts'
import { parseImageReference } from '../../../src/domain/image-reference.ts'
import { slugOf } from '../../../src/domain/names.ts'
import { appEnvReferences } from '../../../src/domain/references.ts'
import { networkOf, TrustedProxies } from '../../../src/domain/trusted-proxies.ts'
import { withoutSharedCookies } from '../../../src/ingress/http1/shared-cookies.ts'
import { hostNameOf } from '../../../src/ingress/routes/route-table.ts'
import { ChunkedDecoder } from '../../../src/ingress/upstreams/chunked-decoder.ts'
import { parseResponseHead } from '../../../src/ingress/upstreams/response-head.ts'
import { TEXT_FIELDS, withText } from '../../hostile/injection-fields.ts'

const FETCHER = readFileSync(new URL('../../../src/api/graphql/graphiql/fetcher.js', import.meta.url), 'utf8')

let used: 'http' | 'socket' = 'http'
const page: Record<string, unknown> = {
  location: { origin: 'http://x', pathname: '/graphql' },
  fetch: () => Promise.resolve({ json: () => null }),
  sessionStorage: { getItem: () => null, setItem: () => {} },
  WebSocket: class {
    constructor() {
      used = 'socket'
    }
  },
}
page.globalThis = page
runInNewContext(FETCHER, page)
const { fetcher } = (page.berthOptions as (options: object) => { fetcher(params: unknown): unknown })({})

/** Which transport GraphiQL's page would use for a document. */
function transportOf(query: string, operationName?: string): 'http' | 'socket' {
  used = 'http'
  fetcher({ query, operationName })
  return used
}

const proxies = new TrustedProxies(['127.0.0.1'])

/** Everything of ours that reads a header, or a text that somebody else wrote. */
const PARSERS: Record<string, (text: string) => unknown> = {
  Prefer: (text) => waitOf(text, 300),
  'Prefer, after wait': (text) => waitOf(`wait=${text}`, 300),
  'If-None-Match': (text) => isUnchanged(text, '"x"'),
  'If-Match': (text) => expectedVersionOf(text),
  Authorization: (text) => [tokenOf(`Bearer ${text}`), presentedHash(text)],
  'Content-Type': (text) => isJson(`application/json${text}`),
  Host: (text) => hostNameOf(text),
  'X-Forwarded-For': (text) => networkOf(proxies.clientOf('127.0.0.1', text)),
  'Set-Cookie': (text) => withoutSharedCookies(['Set-Cookie', `a=1; Domain=${text}`], ['berth.localhost']),
  'a head of an answer': (text) =>
    parseResponseHead(`HTTP/1.1 200 OK\r\nConnection: ${text}\r\nKeep-Alive: ${text}`, 'GET'),
  'chunks of an answer': (text) =>
    new ChunkedDecoder().decode(Buffer.from(`1;${text}\r\na\r\n0\r\nA: ${text}\r\n\r\n`)),
  'a host name': (text) => parseHostName(text),
  'an image': (text) => parseImageReference(text),
  'a name': (text) => slugOf(text),
  'references in a value': (text) => appEnvReferences([text]),
  'a document in GraphiQL': (text) => transportOf(text),
}

const UNITS = [
  '"',
  '",',
  '"\\',
  'wait=',
  ' ',
  '\t',
  'a',
  'A',
  '1',
  '-',
  '.',
  '-.',
  'a.',
  'a-',
  ',',
  ', ',
  ';',
  '; ',
  '=',
  ':',
]
UNITS.push(
  '#',
  '# ',
  '#\n',
  '\n',
  '/',
  'a/',
  '@',
  '$',
  '${',
  '${a',
  '${a.',
  '}',
  '{',
  '(',
  '[',
  '%',
  'timeout',
  'timeout ',
  '"""',
  '\\',
  '|',
)
const LENGTH = 16_384

/** The processor time of one call in ms, whatever it throws. */
function cost(parse: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage()
  try {
    parse(text)
  } catch {
    // Refusing is as good as reading.
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const leastOf = (parse: (text: string) => unknown, text: string) => Math.min(...[1, 2, 3].map(() => cost(parse, text)))

/** An exponential parser takes long over few characters, and would not end over many. */
const FEW = 24
// Below this, a measurement is mostly noise: no text of this length may be a burden anyway.
const NOTICEABLE_MS = 20
/** Twice the text takes twice the time; a quadratic parser takes four times. */
const MAX_FOR_TWICE = 3.2

function expectLinear(parse: (text: string) => unknown, { length, ends }: { length: number; ends: string[] }): void {
  for (const unit of UNITS) {
    for (const end of ends) {
      const text = (characters: number) => unit.repeat(Math.ceil(characters / unit.length)).slice(0, characters) + end
      const about = `${JSON.stringify(unit)} again and again, then ${JSON.stringify(end)}`
      if (cost(parse, text(FEW)) > NOTICEABLE_MS)
        expect(leastOf(parse, text(FEW)), `${FEW} characters: ${about}`).toBeLessThan(NOTICEABLE_MS)
      if (cost(parse, text(length)) < NOTICEABLE_MS) continue
      const single = leastOf(parse, text(length))
      if (single < NOTICEABLE_MS) continue
      const ratio = leastOf(parse, text(2 * length)) / single
      expect(ratio, `${length} characters take ${single} ms: ${about}`).toBeLessThan(MAX_FOR_TWICE)
    }
  }
}

describe('time to read', () => {
  test.each(Object.keys(PARSERS))('%s grows with its length, and no faster', (name) => {
    expectLinear(PARSERS[name] as (text: string) => unknown, { length: LENGTH, ends: ['', '!', '"'] })
  })

  test('every text field of every write grows with its length, and no faster', () => {
    let fields = 0
    for (const { operation, path } of TEXT_FIELDS) {
      const route = routes.find(
        (one) => 'command' in one && one.method === operation.method && operation.path.endsWith(one.path),
      )
      if (!route || !('command' in route)) continue
      fields += 1
      expectLinear((text) => route.command.input.safeParse(withText({}, path, text)), { length: 8_192, ends: ['!'] })
    }
    expect(fields).toBeGreaterThan(50)
  })
})

describe('what was mended', () => {
  test.each([
    ['wait=5', 5],
    ['respond-async, wait=5', 5],
    ['foo="a,wait=9", wait="7"', 7],
    ['foo="a\\",wait=9", wait = 3; x', 3],
    ['foo="never closed, wait=4', undefined],
    ['handling=lenient', undefined],
    ['WAIT=999', 300],
  ])('Prefer: %s asks for %s s', (prefer, seconds) => {
    expect(waitOf(prefer, 300)).toBe(seconds)
  })

  test.each([
    ['{ me { id } }', undefined, 'http'],
    [`${'#'.repeat(28)}\nquery A { me { id } }`, undefined, 'http'],
    [`${'#'.repeat(28)}\nsubscription A { a }`, undefined, 'socket'],
    ['subscription { a }', undefined, 'socket'],
    ['query A { a } subscription B { b }', 'B', 'socket'],
    ['query A { a } subscription B { b }', 'A', 'http'],
    ['query A { subscription } # subscription B', 'A', 'http'],
    ['fragment subscription on A { a } query B { ...subscription }', 'B', 'http'],
    ['query A($a: B = {c: "}"}) { a(b: """ } \\""" subscription C """) } subscription D { d }', 'D', 'socket'],
    ['{ a(b: "\\\\") }', undefined, 'http'],
  ] as const)('GraphiQL sends %j (%s) over %s', (query, operationName, transport) => {
    expect(transportOf(query, operationName)).toBe(transport)
  })
})
