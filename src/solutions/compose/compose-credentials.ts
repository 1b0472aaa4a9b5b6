import { hasSecretText, isSecretName } from '../../domain/looks-secret.ts'
import type { ComposeProblems } from './compose-problems.ts'
import type { ManagedService } from './managed-services.ts'

/** A service, and the component that it becomes. */
export interface NamedService {
  name: string
  /** All names by which other services reach it. */
  names: readonly string[]
  key: string
  managed: ManagedService | null
}

/** Text as it is, or a part of a component. */
export type Piece = { literal: string } | { key: string; part: string }

export interface ReadVariable {
  pieces: Piece[]
  isSecret: boolean
}

interface Asking {
  name: string
  key: string
  variables: Readonly<Record<string, string>>
  dependsOn: readonly string[]
}

type Managed = NamedService & { managed: ManagedService }
type Kind = 'user' | 'password' | 'database'

const OWN_ADDRESS = /^https?:\/\/(?:localhost|127\.0\.0\.1)(?::(\d{1,5}))?(?=\/|$)/

/**
 * A managed service has credentials of its own, so those in the file become references to them. What is a credential is
 * decided by its place: in an address, or in a variable whose name belongs to the one that names the host. Never by its
 * value: `postgres` may be a user, a password, a database, a dialect and a theme. Names of services stay as they are: they
 * are names on the network.
 */
export function readVariables(
  service: Asking,
  services: readonly NamedService[],
  /** Components, by the ports of the host at which the file publishes them. */
  published: ReadonlyMap<number, string>,
  problems: ComposeProblems,
): Record<string, ReadVariable> {
  const managed = services.filter((one): one is Managed => one.managed !== null)
  const byName = new Map(managed.flatMap((one) => one.names.map((name) => [name, one] as const)))
  const hosts = hostVariables(service.variables, byName)
  return Object.fromEntries(
    Object.entries(service.variables).map(([name, value]) => {
      const at = `services.${service.name}.environment.${name}`
      const pieces =
        ownAddress(value, published) ??
        wholeHost(name, value, hosts) ??
        credentialOf({ name, value, at }, service, managed, hosts, problems) ??
        inText(value, at, byName, problems)
      return [name, { pieces, isSecret: isSecret(name, pieces) }]
    }),
  )
}

/** Whether what is left of the text, besides references, is to be sealed. */
function isSecret(name: string, pieces: readonly Piece[]): boolean {
  const texts = pieces.flatMap((piece) => ('literal' in piece ? [piece.literal] : []))
  const hasPassword = pieces.some((piece) => 'part' in piece && piece.part === 'password')
  return texts.some(hasSecretText) || (isSecretName(name) && !hasPassword)
}

/** Why a text that is run, where nothing is filled in, cannot do with the credentials of the file. */
export function refuseCredentials(
  words: readonly string[],
  place: string,
  services: readonly NamedService[],
  problems: ComposeProblems,
): void {
  const byName = new Map(
    services.flatMap((one) => (one.managed ? one.names.map((name) => [name, one as Managed]) : [])) as [
      string,
      Managed,
    ][],
  )
  for (const word of words)
    for (const { service, login } of addressesIn(word, byName))
      if (login)
        problems.add(
          place,
          `holds credentials of ${service.name}, a managed service, which has its own: put the address into a variable`,
        )
}

/** Shorter ones are words that mean other things, too. */
const MIN_PASSWORD = 6

/** The managed service whose password of the file stands in the text, where it is no reference; null where none does. */
export function passwordIn(text: string, isSecret: boolean, services: readonly NamedService[]): string | null {
  const owner = services.find(({ managed }) => {
    const { password = '', user, database } = managed ?? {}
    const isWord = password.length < MIN_PASSWORD || password === user || password === database
    if (isWord) return false
    return isSecret ? text === password : text !== password && text.includes(password)
  })
  return owner?.name ?? null
}

/** `http://localhost:8080` is the app that the file publishes there, as its users call it. */
function ownAddress(value: string, published: ReadonlyMap<number, string>): Piece[] | null {
  const [address, port] = OWN_ADDRESS.exec(value) ?? []
  const key = published.get(Number(port ?? 80))
  if (address === undefined || key === undefined) return null
  return literal([{ key, part: 'externalUrl' }, { literal: value.slice(address.length) }])
}

const literal = (pieces: readonly Piece[]) => pieces.filter((piece) => !('literal' in piece) || piece.literal !== '')

const HOST_WORDS = ['host', 'hostname', 'server', 'addr', 'address', 'endpoint', 'url', 'uri', 'dsn']
const KINDS: Readonly<Record<string, Kind>> = {
  user: 'user',
  username: 'user',
  login: 'user',
  password: 'password',
  passwd: 'password',
  pass: 'password',
  pwd: 'password',
  database: 'database',
  db: 'database',
  dbname: 'database',
  name: 'database',
}
/** Of which a variable speaks of a database, where none with the same beginning names its host. */
const DATABASE_WORDS = 'db database datasource sql postgres postgresql pg mysql mariadb'.split(' ')

/** `DB_HOST` is `host` after `db`; so is `database__host`, and `PGHOST` after `pg`. */
function wordsOf(name: string): { before: string; last: string; words: string[] } {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/^pg(?=(?:user|password|database|host|port)$)/, 'pg_')
    .split(/[_.-]+/)
    .filter((word) => word !== '')
  return { before: words.slice(0, -1).join('_'), last: words.at(-1) ?? '', words }
}

/** The variables that name a host, with the managed service that it is, and the beginnings of their names. */
function hostVariables(variables: Readonly<Record<string, string>>, byName: ReadonlyMap<string, Managed>) {
  const found: { name: string; before: string; service: Managed | null; isWhole: boolean }[] = []
  for (const [name, value] of Object.entries(variables)) {
    const { before, last } = wordsOf(name)
    if (!HOST_WORDS.includes(last)) continue
    const whole = byName.get(/^(.{1,253}?)(?::\d{1,5})?$/.exec(value)?.[1] ?? '')
    const service = whole ?? addressesIn(value, byName)[0]?.service ?? null
    if (service || value !== '') found.push({ name, before, service, isWhole: whole !== undefined })
  }
  return found
}

type HostVariables = ReturnType<typeof hostVariables>

function wholeHost(name: string, value: string, hosts: HostVariables): Piece[] | null {
  const host = hosts.find((one) => one.name === name && one.isWhole)
  if (!host?.service) return null
  const port = /:\d{1,5}$/.exec(value) ? [{ literal: ':' }, { key: host.service.key, part: 'port' }] : []
  return [{ key: host.service.key, part: 'host' }, ...port]
}

interface Variable {
  name: string
  value: string
  at: string
}

function credentialOf(
  variable: Variable,
  service: Asking,
  managed: readonly Managed[],
  hosts: HostVariables,
  problems: ComposeProblems,
): Piece[] | null {
  const { before, last, words } = wordsOf(variable.name)
  const kind = Object.hasOwn(KINDS, last) ? KINDS[last] : undefined
  if (kind === undefined) return null
  const alike = hosts.filter((host) => host.before === before)
  const named = alike.find((host) => host.service) ?? alike[0]
  // Another host than a managed service's has logins of its own.
  if (named) return named.service && partOf(variable, kind, named.service, problems)
  const speaksOf = (one: Managed) => words.some((word) => DATABASE_WORDS.includes(word) || one.names.includes(word))
  const refersTo = (one: Managed) =>
    service.dependsOn.includes(one.name) || hosts.some((host) => host.service?.key === one.key)
  const likely = managed.filter(
    (one) => speaksOf(one) && refersTo(one) && [declaredOf(one, kind), rootOf(one, kind)].includes(variable.value),
  )
  const [only] = likely
  return only && likely.length === 1 ? partOf(variable, kind, only, problems) : null
}

const declaredOf = ({ managed }: Managed, kind: Kind) => managed[kind]
const rootOf = ({ managed }: Managed, kind: Kind) =>
  kind === 'user' ? (managed.rootUser ?? undefined) : kind === 'password' ? managed.rootPassword : undefined

/** Null for what stays as it is: an app may have made the database itself. */
function partOf({ value, at }: Pick<Variable, 'value' | 'at'>, kind: Kind, one: Managed, problems: ComposeProblems) {
  if (value === declaredOf(one, kind)) return [{ key: one.key, part: kind }]
  if (kind === 'database' || value === '') return null
  const isRoot = value === rootOf(one, kind)
  problems.add(
    at,
    isRoot
      ? `is the root ${kind} of ${one.name}: a managed service keeps its administrator to itself; use its own user`
      : `is no ${kind} of ${one.name}, which is a managed service with one user: name the one that it has`,
  )
  return null
}

interface Address {
  service: Managed
  /** Of the login. */
  login: { user: Span; password: Span | null } | null
  host: Span
  port: Span | null
  database: Span | null
}

interface Span {
  from: number
  to: number
}

/** References in place of what an address, or a list of settings such as `host=db user=app`, says of a managed service. */
function inText(value: string, at: string, byName: ReadonlyMap<string, Managed>, problems: ComposeProblems): Piece[] {
  const spans: { span: Span; piece: Piece }[] = []
  const put = (span: Span | null | undefined, part: 'host' | 'port' | Kind, one: Managed) => {
    if (!span) return
    if (part === 'host' || part === 'port') spans.push({ span, piece: { key: one.key, part } })
    else
      for (const piece of partOf({ value: decoded(value.slice(span.from, span.to)), at }, part, one, problems) ?? [])
        spans.push({ span, piece })
  }
  const addresses = addressesIn(value, byName)
  for (const { service, login, host, port, database } of addresses) {
    put(login?.user, 'user', service)
    put(login?.password, 'password', service)
    put(host, 'host', service)
    put(port, 'port', service)
    put(database, 'database', service)
  }
  const settings = settingsIn(value)
  const owner =
    settings
      .map(({ kind, span }) => (kind === 'host' ? byName.get(value.slice(span.from, span.to)) : undefined))
      .find(Boolean) ?? (addresses.length === 1 ? addresses[0]?.service : undefined)
  if (owner) for (const { kind, span } of settings) if (kind !== 'host') put(span, kind, owner)
  return piecesOf(value, spans)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function piecesOf(value: string, spans: readonly { span: Span; piece: Piece }[]): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const { span, piece } of [...spans].sort((one, other) => one.span.from - other.span.from)) {
    if (span.from < at) continue
    pieces.push({ literal: value.slice(at, span.from) }, piece)
    at = span.to
  }
  return literal([...pieces, { literal: value.slice(at) }])
}

// Each is tried at one place, and ends before the next slash or space.
const LOGIN = /([^\s:@/()]*)(?::([^\s@/()]*))?@/y
const HOST = /(tcp\()?([\w.-]+)(?::(\d{1,5}))?\)?(?=[/?#,;\s]|$)(?:\/([^\s?#,;/]*))?/y

/**
 * Addresses of managed services: `postgres://user:password@db:5432/app`, `jdbc:postgresql://db/app`, and Go’s
 * `user:password@tcp(db:3306)/app`. Walks through the value once: one pattern for all of it would start over at each
 * letter of a text without an address, and take quadratic time.
 */
function addressesIn(value: string, byName: ReadonlyMap<string, Managed>): Address[] {
  const starts = [...value.matchAll(/:\/\//g)].map(({ index }) => index + 3)
  const go = value.indexOf('@tcp(')
  if (starts.length === 0 && go >= 0 && go < 500) starts.push(0)
  return starts.flatMap((start) => addressAt(value, start, byName) ?? [])
}

function addressAt(value: string, start: number, byName: ReadonlyMap<string, Managed>): Address | null {
  const [login = '', user = '', password] = matchAt(LOGIN, value, start) ?? []
  const from = start + login.length
  const [found, go = '', host = '', port, database] = matchAt(HOST, value, from) ?? []
  const service = byName.get(host)
  if (found === undefined || !service) return null
  const hostAt = from + go.length
  const span = (at: number, text: string): Span => ({ from: at, to: at + text.length })
  return {
    service,
    login:
      login === ''
        ? null
        : {
            user: span(start, user),
            password: password === undefined ? null : span(start + user.length + 1, password),
          },
    host: span(hostAt, host),
    port: port === undefined ? null : span(hostAt + host.length + 1, port),
    database: database === undefined ? null : span(from + found.length - database.length, database),
  }
}

function matchAt(pattern: RegExp, value: string, place: number): RegExpExecArray | null {
  pattern.lastIndex = place
  return pattern.exec(value)
}

const SETTINGS: Readonly<Record<string, Kind | 'host'>> = {
  ...KINDS,
  'user id': 'user',
  uid: 'user',
  'initial catalog': 'database',
  host: 'host',
  server: 'host',
  'data source': 'host',
}
const SETTING = /(?<=^|[\s;&?])(user id|data source|initial catalog|[a-z]{2,8})=([^\s;&]*)/gi

/** `host=db user=app password=secret dbname=app`, and its relatives with semicolons and ampersands. */
const settingsIn = (value: string) =>
  [...value.matchAll(SETTING)].flatMap(({ index, 0: whole, 1: name = '', 2: text = '' }) => {
    const kind = SETTINGS[name.toLowerCase()]
    if (kind === undefined || name.toLowerCase() === 'name') return []
    const to = index + whole.length
    return [{ kind, span: { from: to - text.length, to } }]
  })
