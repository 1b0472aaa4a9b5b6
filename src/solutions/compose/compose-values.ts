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

const URL_HEAD = String.raw`([A-Za-z][\w+.-]*:\/\/)(?:([^\s:@/]*)(?::([^\s@/]*))?@)?`
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

function withAddresses(value: string, services: readonly NamedService[]): Piece[] {
  const names = services.map(({ name }) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(
    `${URL_HEAD}(${names.join('|')})(?::(\\d+))?(?=[/?#,\\s]|$)(\\/[^\\s?#,/]+)?|(?<=^|[,\\s])(${names.join('|')})(?=:\\d+)`,
    'g',
  )
  const pieces: Piece[] = []
  let at = 0
  for (const match of value.matchAll(pattern)) {
    const [whole, scheme, user, password, host, port, path, bare] = match
    const service = services.find(({ name }) => name === (host ?? bare))
    if (!service) continue
    pieces.push({ literal: value.slice(at, match.index) })
    at = match.index + whole.length
    if (bare !== undefined) pieces.push({ key: service.key, part: 'host' })
    else pieces.push(...urlPieces(service, { scheme, user, password, port, path }))
  }
  return [...pieces, { literal: value.slice(at) }].filter((piece) => !('literal' in piece) || piece.literal !== '')
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
