import { createNormaliser } from './normalise.ts'

type Fields = Record<string, unknown>

/** One call with its answer, as it is stored. */
export interface Recorded {
  name: string
  request: Fields
  status: number
  headers: Record<string, string | null>
  /** JSON with its keys in their original order; `text` instead for anything else. */
  body?: unknown
  text?: string
}

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: scripts take ids from answers of every shape.
  body: any
}

interface CallOptions {
  /** The caller: a key of `tokens`, or `none` for no token at all. The admin when omitted. */
  as?: string
  headers?: Record<string, string>
  /** Query parameters of a call that has a body. */
  query?: Record<string, string>
}

export interface RecorderOptions {
  origin: string
  tokens: Record<string, string>
  /** GraphQL fragments by name; a document that spreads one is sent with it. */
  fragments: Readonly<Record<string, string>>
}

export type Recorder = ReturnType<typeof createRecorder>

const BASE = '/api/public/v1'

/** Calls both APIs over HTTP, and stores each call with its normalised answer. */
export function createRecorder({ origin, tokens, fragments }: RecorderOptions) {
  const normaliser = createNormaliser({ origin, now: new Date() })
  const recorded: Recorded[] = []

  async function call(name: string, path: string, request: Fields, init: RequestInit): Promise<Answer> {
    const response = await fetch(`${origin}${path}`, { ...init, redirect: 'manual' })
    const text = await response.text()
    const entry = {
      name,
      request,
      status: response.status,
      headers: unusualHeaders(response.headers, name),
      ...contentOf(text),
    }
    if (recorded.some((other) => other.name === name)) throw new Error(`Two calls are named "${name}"`)
    const headers = Object.entries(entry.headers).map(([key, value]) => [
      key,
      value === null ? null : normaliser.header(key, value),
    ])
    const normalised = normaliser.text(JSON.stringify({ ...entry, headers: Object.fromEntries(headers) }))
    recorded.push(JSON.parse(normalised) as Recorded)
    return { status: response.status, headers: response.headers, body: contentOf(text).body }
  }

  const headersOf = (name: string, { as = 'admin', headers = {} }: CallOptions, hasBody: boolean) => {
    const token = as === 'none' ? undefined : tokens[as]
    if (as !== 'none' && token === undefined) throw new Error(`Nobody is called ${as}`)
    return {
      ...(token === undefined ? {} : { authorization: token }),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      'x-request-id': requestIdOf(name),
      ...headers,
    }
  }

  const shownHeaders = ({ headers = {} }: CallOptions) => {
    const shown = Object.entries(headers).map(([key, value]) => [key, normaliser.header(key, value)])
    return shown.length > 0 ? { headers: Object.fromEntries(shown) } : {}
  }

  return {
    recorded,
    tokens,
    /** `rest('…', 'POST /app', { name })`. Fields are the query of GET, HEAD and DELETE, and the body of all others. */
    async rest(name: string, route: string, fields: Fields | string = {}, options: CallOptions = {}): Promise<Answer> {
      const [method = '', path = ''] = route.split(' ')
      const hasBody = ['POST', 'PUT', 'PATCH'].includes(method)
      const query = new URLSearchParams({ ...(hasBody ? {} : (fields as Record<string, string>)), ...options.query })
      const target = `${path.startsWith('//') ? path.slice(1) : BASE + path}${query.size > 0 ? `?${query}` : ''}`
      const body = typeof fields === 'string' ? fields : JSON.stringify(fields)
      const request = {
        call: `${method} ${query.size > 0 ? `${path}?${query}` : path}`,
        ...(options.as ? { as: options.as } : {}),
        ...shownHeaders(options),
        ...(hasBody ? { body: fields } : {}),
      }
      return call(name, target, request, {
        method,
        headers: headersOf(name, options, hasBody),
        ...(hasBody ? { body } : {}),
      })
    },
    /** Sends one document, with the fragments that it spreads. */
    async graphql(name: string, document: string, variables: Fields = {}, options: CallOptions = {}): Promise<Answer> {
      const query = withFragments(document, fragments)
      const request = {
        graphql: document.replaceAll(/\s+/g, ' ').trim(),
        ...(Object.keys(variables).length > 0 ? { variables } : {}),
        ...(options.as ? { as: options.as } : {}),
        ...shownHeaders(options),
      }
      return call(name, '/graphql', request, {
        method: 'POST',
        headers: headersOf(name, options, true),
        body: JSON.stringify({ query, variables }),
      })
    },
  }
}

/** Derived from the name of the call, so that it is the same in every run. */
const requestIdOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 100)

function contentOf(text: string): { body?: unknown; text?: string } {
  if (text === '') return {}
  try {
    const body: unknown = JSON.parse(text)
    // Only then the body, printed again, equals the sent text byte for byte.
    if (JSON.stringify(body) === text) return { body }
  } catch {}
  return { text }
}

/** Headers of nearly every answer are left out if they have the usual value; a missing one is null. */
const USUAL: Record<string, string | RegExp> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'ratelimit-policy': '"requests";q=6000;w=60',
  ratelimit: /^"requests";r=\d+;t=\d+$/,
}

/** Headers of the connection, not of the API. */
const OF_TRANSPORT = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'])

function unusualHeaders(headers: Headers, name: string): Record<string, string | null> {
  const usual: Record<string, string | RegExp> = { ...USUAL, 'x-request-id': requestIdOf(name) }
  const isUsual = (key: string, value: string) => {
    const expected = usual[key]
    return expected instanceof RegExp ? expected.test(value) : expected === value
  }
  const unusual = [...headers].filter(([key, value]) => !OF_TRANSPORT.has(key) && !isUsual(key, value))
  const missing = Object.keys(usual).filter((key) => !headers.has(key))
  return Object.fromEntries([...unusual, ...missing.map((key) => [key, null] as const)].sort())
}

function withFragments(document: string, fragments: Readonly<Record<string, string>>): string {
  const all = new Map<string, string>()
  const add = (text: string) => {
    for (const [, name = ''] of text.matchAll(/\.\.\.(\w+)/g)) {
      const fragment = fragments[name]
      if (name === 'on' || all.has(name)) continue
      if (!fragment) throw new Error(`There is no fragment ${name}`)
      all.set(name, fragment)
      add(fragment)
    }
  }
  add(document)
  return [document, ...all.values()].join('\n')
}
