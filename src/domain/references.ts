/**
 * References in the values of variables: `${NAME}` is another variable of the same environment,
 * `${<environment>.internalUrl}` and `.externalUrl` are the addresses of another environment of the account, `.readOnlyUrl` that of its replicas, `.host`,
 * `.port`, `.user`, `.password` and `.database` the parts of the internal one, and `$${`
 * stands for a literal `${`. Anything else in braces is text: programs have their own syntax.
 */
const REFERENCE =
  /\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)|([a-z0-9][a-z0-9-]*)\.(internalUrl|externalUrl|readOnlyUrl|host|port|user|password|database))\}/g

/** Engines accept no longer value, and references could make values of any length. */
const MAX_VALUE = 128 * 1024

export type UrlKind = 'internalUrl' | 'externalUrl' | 'readOnlyUrl' | 'host' | 'port' | 'user' | 'password' | 'database'

/** What holds a credential, where the environment has some: addresses with the password in them, and their parts. */
const WITH_CREDENTIALS: ReadonlySet<UrlKind> = new Set([
  'internalUrl',
  'externalUrl',
  'readOnlyUrl',
  'user',
  'password',
])

export const holdsCredentials = (url: UrlKind): boolean => WITH_CREDENTIALS.has(url)

export interface AppEnvReference {
  envName: string
  url: UrlKind
}

/** The value cannot be resolved; the message says why, and follows the variable's name. */
export class UnresolvedReference extends Error {
  readonly variable: string

  constructor(variable: string, message: string) {
    super(message)
    this.variable = variable
  }
}

/** What references can name apart from the variables themselves. A lookup returns null for an unknown name. */
export interface Surroundings {
  /** Variables that the platform sets. */
  platform: Readonly<Record<string, string>>
  urlOf(reference: AppEnvReference): string | null
}

/**
 * Every variable with its references replaced. Throws UnresolvedReference for unknown names, cycles and values that are
 * too long.
 */
export function resolveReferences(
  values: ReadonlyMap<string, string>,
  surroundings: Surroundings,
): Map<string, string> {
  const resolved = new Map<string, string>()
  const under = new Set<string>()
  const resolve = (name: string, value: string): string => {
    const known = resolved.get(name)
    if (known !== undefined) return known
    if (under.has(name)) throw new UnresolvedReference(name, `refers to itself: ${[...under, name].join(' → ')}`)
    under.add(name)
    const text = substitute(name, value)
    under.delete(name)
    resolved.set(name, text)
    return text
  }
  const substitute = (name: string, value: string): string => {
    let length = value.length
    return value.replace(REFERENCE, (whole, variable?: string, envName?: string, url?: UrlKind) => {
      if (whole === '$${') return '${'
      const text = variable
        ? textOf(name, variable)
        : surroundings.urlOf({ envName: envName ?? '', url: url as UrlKind })
      if (text === null) throw new UnresolvedReference(name, unknown(whole))
      length += text.length
      if (length > MAX_VALUE) throw new UnresolvedReference(name, 'becomes longer than 128 KiB with what it refers to')
      return text
    })
  }
  const textOf = (from: string, name: string): string | null => {
    const value = values.get(name)
    // A platform variable may be refined under its own name: PATH_PREFIX=${PATH_PREFIX}/v2 is no cycle then.
    if (value === undefined || (name === from && name in surroundings.platform))
      return surroundings.platform[name] ?? null
    return resolve(name, value)
  }
  for (const [name, value] of values) resolve(name, value)
  return resolved
}

const unknown = (reference: string) =>
  `refers to ${reference}, which is neither a variable here nor an environment with that address; write $${reference} for the text itself`

/** The named variables, and all that they refer to, directly or through others. */
export function withReferenced(names: Iterable<string>, values: ReadonlyMap<string, string>): Set<string> {
  const found = new Set(names)
  // Iterating over a set includes items that are added meanwhile.
  for (const name of found) {
    for (const [, variable] of values.get(name)?.matchAll(REFERENCE) ?? []) {
      if (variable && values.has(variable)) found.add(variable)
    }
  }
  return found
}

/** The environments whose addresses the values refer to. */
export function appEnvReferences(values: Iterable<string>): AppEnvReference[] {
  return [...values].flatMap((value) =>
    [...value.matchAll(REFERENCE)].flatMap(([, , envName, url]) => (envName ? [{ envName, url: url as UrlKind }] : [])),
  )
}
