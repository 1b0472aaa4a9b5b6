import type { ComposeProblems } from './compose-problems.ts'
import type { ManagedService } from './managed-services.ts'

/** A service that others name, and the component that it becomes. */
export interface NamedService {
  name: string
  key: string
  managed: ManagedService | null
}

/** Text as it is, or a part of a component. */
type Piece = { literal: string } | { key: string; part: string }

const IS_HOST = /(HOST|HOSTNAME|SERVER|ADDR|ADDRESS|ENDPOINT|BROKER|BROKERS|NODE|NODES|URL|URI|DSN)S?$/i
const OWN_ADDRESS = /^https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?(?=\/|$)/
const LOOKS_SECRET = /pass|secret|token|key|salt|credential|auth|dsn/i

export interface VariableOf {
  service: NamedService
  name: string
  value: string
}

/**
 * Names of services, where they stand for hosts, become addresses of components: `db:5432`, the host of a URL, or the
 * whole value of a variable such as DB_HOST. Credentials of a managed service become those that it has.
 */
export function piecesOf(
  variable: VariableOf,
  services: readonly NamedService[],
  problems: ComposeProblems,
): { pieces: Piece[]; isSecret: boolean } {
  const { name, value, service } = variable
  const isSecret = LOOKS_SECRET.test(name) || /:\/\/[^\s:@/]*:[^\s@/]+@/.test(value)
  const own = OWN_ADDRESS.exec(value)?.[0]
  if (own)
    return { pieces: [{ key: service.key, part: 'externalUrl' }, { literal: value.slice(own.length) }], isSecret }
  const credential = services.flatMap((one) => credentialOf(variable, one, problems))[0]
  if (credential) return { pieces: [credential], isSecret }
  const whole = services.find((one) => one.name === value && IS_HOST.test(name))
  if (whole) return { pieces: [{ key: whole.key, part: 'host' }], isSecret }
  return { pieces: withAddresses(value, services), isSecret }
}

function credentialOf(
  { name, value, service }: VariableOf,
  { key, name: owner, managed }: NamedService,
  problems: ComposeProblems,
): Piece[] {
  if (!managed || value === '') return []
  const { user, password, database, rootPassword } = managed
  if (value === password) return [{ key, part: 'password' }]
  if (value === rootPassword) {
    problems.add(
      `services.${service.name}.environment.${name}`,
      `is the root password of ${owner}: a managed service keeps its administrator to itself; use its own user`,
    )
    return [{ literal: '' }]
  }
  if (value === user && /USER/i.test(name)) return [{ key, part: 'user' }]
  return value === database && /DB|DATABASE|NAME|SCHEMA/i.test(name) ? [{ key, part: 'database' }] : []
}

/**
 * Walks through the value once. One pattern for all of it would start over at each letter of a text without a URL, and
 * take quadratic time.
 */
function withAddresses(value: string, services: readonly NamedService[]): Piece[] {
  const byName = new Map(services.map((service) => [service.name, service]))
  const found = [...urlsIn(value, byName), ...bareHostsIn(value, byName)].sort((one, other) => one.at - other.at)
  const pieces: Piece[] = []
  let at = 0
  for (const one of found) {
    // Within a URL that was found: a login may look like a host.
    if (one.at < at) continue
    pieces.push({ literal: value.slice(at, one.at) }, ...one.pieces)
    at = one.end
  }
  return [...pieces, { literal: value.slice(at) }].filter((piece) => !('literal' in piece) || piece.literal !== '')
}

type ByName = ReadonlyMap<string, NamedService>

interface FoundAddress {
  at: number
  end: number
  pieces: Piece[]
}

/** `db:5432`, at the beginning or after a comma or a space. */
function bareHostsIn(value: string, services: ByName): FoundAddress[] {
  return [...value.matchAll(/(?<=^|[,\s])[\w.-]+(?=:\d)/g)].flatMap(({ 0: name, index }) => {
    const service = services.get(name)
    return service ? [{ at: index, end: index + name.length, pieces: [{ key: service.key, part: 'host' }] }] : []
  })
}

function urlsIn(value: string, services: ByName): FoundAddress[] {
  const found: FoundAddress[] = []
  let from = 0
  for (let colon = value.indexOf('://'); colon >= 0; colon = value.indexOf('://', colon + 3)) {
    const at = schemeStart(value, from, colon)
    const url =
      at === null ? null : (urlAt(value, colon + 3, LOGIN, services) ?? urlAt(value, colon + 3, null, services))
    if (at === null || !url) continue
    const scheme = value.slice(at, colon + 3)
    found.push({ at, end: url.end, pieces: urlPieces(url.service, { ...url.parts, scheme }) })
    from = url.end
  }
  return found
}

const IN_SCHEME = /[\w+.-]/
const LETTER = /[A-Za-z]/

/** Where the scheme before the colon begins; null where there is none. */
function schemeStart(value: string, from: number, colon: number): number | null {
  let start: number | null = null
  for (let at = colon - 1; at >= from && IN_SCHEME.test(value.charAt(at)); at -= 1)
    if (LETTER.test(value.charAt(at))) start = at
  return start
}

// Each is tried at one place, and ends before the next slash or space.
const LOGIN = /([^\s:@/]*)(?::([^\s@/]*))?@/y
const HOST = /([\w.-]+)(?::(\d+))?(?=[/?#,\s]|$)(\/[^\s?#,/]+)?/y

/** What comes after the scheme, if its host is a service. */
function urlAt(value: string, place: number, login: RegExp | null, services: ByName) {
  const [found, user, password] = login ? (matchAt(login, value, place) ?? []) : ['']
  if (found === undefined) return null
  const [rest, host = '', port, path] = matchAt(HOST, value, place + found.length) ?? []
  const service = services.get(host)
  if (rest === undefined || !service) return null
  return { service, end: place + found.length + rest.length, parts: { user, password, port, path } }
}

function matchAt(pattern: RegExp, value: string, place: number): RegExpExecArray | null {
  pattern.lastIndex = place
  return pattern.exec(value)
}

type UrlParts = Record<'scheme' | 'user' | 'password' | 'port' | 'path', string | undefined>

function urlPieces(
  { key, managed }: NamedService,
  { scheme = '', user, password, port, path = '' }: UrlParts,
): Piece[] {
  const at = (part: string): Piece => ({ key, part })
  if (!managed) {
    const login = user === undefined ? '' : `${user}${password === undefined ? '' : `:${password}`}@`
    return [{ literal: scheme + login }, at('host'), { literal: (port === undefined ? '' : `:${port}`) + path }]
  }
  const login = user === undefined ? [] : [at('user'), { literal: ':' }, at('password'), { literal: '@' }]
  const database = path === '' ? [] : [{ literal: '/' }, at('database')]
  return [{ literal: scheme }, ...login, at('host'), { literal: ':' }, at('port'), ...database]
}
