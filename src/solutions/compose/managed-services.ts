import { findEngine } from '../../app-types/engines/engines.ts'

/** A database that Berth runs as a managed service, in place of the container that the file describes. */
export interface ManagedService {
  preset: string
  /** Of the preset. */
  version: string
  /** What the file calls user, password and database: the service has generated ones. */
  user: string | undefined
  password: string | undefined
  database: string | undefined
  /** Of the administrator, whom a managed service keeps to itself. */
  rootPassword: string | undefined
}

interface Rule {
  image: RegExp
  preset: string
  variables: { user: string; password: string; database: string; rootPassword?: string }
}

/**
 * Official images whose entry points need more than apps may do, and whose data deserve backups. Others, such as Redis,
 * stay the apps that the file describes: the programs beside them expect no password.
 */
const RULES: readonly Rule[] = [
  {
    image: /^(?:docker\.io\/)?(?:library\/)?postgres(?::|$)/,
    preset: 'POSTGRESQL',
    variables: { user: 'POSTGRES_USER', password: 'POSTGRES_PASSWORD', database: 'POSTGRES_DB' },
  },
  {
    image: /^(?:docker\.io\/)?(?:library\/)?mysql(?::|$)/,
    preset: 'MYSQL',
    variables: {
      ...{ user: 'MYSQL_USER', password: 'MYSQL_PASSWORD', database: 'MYSQL_DATABASE' },
      rootPassword: 'MYSQL_ROOT_PASSWORD',
    },
  },
]

/** Null for an image that stays an app. */
export function managedServiceOf(
  image: string,
  variables: Readonly<Record<string, string>>,
): { service: ManagedService; note: string | null } | null {
  const rule = RULES.find((one) => one.image.test(image))
  const engine = rule && findEngine(rule.preset)
  if (!rule || !engine) return null
  const tag = /:([^:/]+)$/.exec(image)?.[1] ?? 'latest'
  const version = versionFor(
    tag,
    engine.versions.map((one) => one.version),
  )
  const label = engine.versions.find((one) => one.version === version)?.label
  const { user, password, database, rootPassword } = rule.variables
  const service: ManagedService = {
    ...{ preset: rule.preset, version: `${rule.preset}_${version}` },
    ...{ user: variables[user], password: variables[password], database: variables[database] ?? variables[user] },
    rootPassword: rootPassword && variables[rootPassword],
  }
  const isSame = tag.startsWith((version ?? '').replace('_', '.'))
  return { service, note: isSame || tag === 'latest' ? null : `${image} becomes the managed service ${label}` }
}

/** The version that the tag names; else the next one that is newer, else the newest. `versions` has the newest first. */
function versionFor(tag: string, versions: readonly string[]): string | undefined {
  const wanted = numberOf(tag)
  if (wanted === null) return versions[0]
  return versions.findLast((version) => (numberOf(version) ?? 0) >= wanted) ?? versions[0]
}

/** `8.4-debian` and `8_4` are 8.4; a tag that names the major version alone is the first of it. */
function numberOf(version: string): number | null {
  const [, major, minor = '0'] = /^(\d+)(?:[._](\d+))?/.exec(version) ?? []
  return major === undefined ? null : Number(major) * 1000 + Number(minor)
}
