import type { Engine, EngineVersion } from '../../app-types/engines/engine.ts'
import { versionName } from '../../app-types/engines/engines.ts'
import { ENGINES } from '../../app-types/engines/list.ts'

/** A database that Berth runs as a managed service, in place of the container that the file describes. */
export interface ManagedService {
  preset: string
  /** Of the preset. */
  version: string
  /** What the file calls user, password and database: the service has generated ones. */
  user: string | undefined
  password: string | undefined
  database: string | undefined
  /** The administrator, whom a managed service keeps to itself; null where there is none besides the user. */
  rootUser: string | null
  rootPassword: string | undefined
  /** The variables of the image that say all this. */
  read: string[]
}

/** Null for an image that stays an app. */
export function managedServiceOf(
  image: string,
  variables: Readonly<Record<string, string>>,
): { service: ManagedService; note: string | null } | null {
  const [, repository, tag = 'latest'] = /^(?:docker\.io\/)?(?:library\/)?([^:/]+)(?::([^:/]+))?$/.exec(image) ?? []
  const engine = ENGINES.find((one) => one.imageVariables && repositoryOf(one) === repository)
  if (!engine?.imageVariables) return null
  const version = versionFor(tag, engine.versions)
  const { user, password, database, rootPassword } = engine.imageVariables
  // An image that has no administrator besides makes its user one, of the engine's own name.
  const userName = variables[user] ?? (rootPassword === undefined ? repository : undefined)
  const service: ManagedService = {
    preset: engine.name,
    version: versionName(engine, version),
    user: userName,
    password: variables[password],
    database: variables[database] ?? (rootPassword === undefined ? userName : undefined),
    rootUser: rootPassword === undefined ? null : 'root',
    rootPassword: rootPassword && variables[rootPassword],
    read: [user, password, database, ...(rootPassword === undefined ? [] : [rootPassword])],
  }
  const isSame = tag === 'latest' || tag.startsWith(version.version.replace('_', '.'))
  return { service, note: isSame ? null : `${image} becomes the managed service ${version.label}` }
}

const repositoryOf = ({ versions: [{ image }] }: Engine) => image.split(':')[0]

/** The version that the tag names; else the next one that is newer, else the newest. `versions` has the newest first. */
function versionFor(tag: string, versions: Engine['versions']): EngineVersion {
  const wanted = numberOf(tag)
  if (wanted === null) return versions[0]
  return versions.findLast(({ version }) => (numberOf(version) ?? 0) >= wanted) ?? versions[0]
}

/** `8.4-debian` and `8_4` are 8.4; a tag that names the major version alone is the first of it. */
function numberOf(version: string): number | null {
  const [, major, minor = '0'] = /^(\d+)(?:[._](\d+))?/.exec(version) ?? []
  return major === undefined ? null : Number(major) * 1000 + Number(minor)
}
