import { invalidField } from '../../domain/errors.ts'
import { GROUPS } from '../../services/catalogue.ts'

/**
 * The tools that every assistant begins with: create, deploy, watch, correct, and list what there is. `find-tool` and
 * `call-tool` lead to all others.
 */
export const CORE: readonly string[] = [
  'list-accounts',
  'list-apps',
  'list-app-envs',
  'create-app',
  'create-app-env',
  'deploy-image',
  'build-app-env',
  'request-storage-key',
  'notify-code-upload',
  'get-app-env',
  'get-app-env-status',
  'get-app-env-history',
  'get-app-env-pods',
  'list-operations',
  'get-operation',
  'get-logs',
  'get-metrics',
  'get-variables',
  'change-variables',
  'change-resources',
  'apply-app-env-changes',
  'restart-app-env',
  'rollback-app-env',
]

/** The name of the set of tools that are the calls of a group: `Logs and metrics` is `logs-and-metrics`. */
export const setNameOf = (group: string): string => group.toLowerCase().replaceAll(' ', '-')

/** Each set that can be asked for besides `core` and `all`, with its words. */
export const SETS: ReadonlyMap<string, string> = new Map(
  GROUPS.map(({ name, description }) => [setNameOf(name), description]),
)

const NAMES = ['core', 'all', ...SETS.keys()]

/** More than the names of all sets have, with commas between them. */
const MAX_QUERY_CHARACTERS = 1000

const PARAMETER = 'tools'

/**
 * The sets that the query of the endpoint's address names: the core when it names none. Throws INVALID_INPUT for a set
 * that there is not, and for any other parameter, since a misspelt one would quietly choose the wrong tools.
 */
export function setsOf(search: URLSearchParams): ReadonlySet<string> {
  for (const name of search.keys()) {
    if (name !== PARAMETER) throw invalidField(shown(name), `is not a parameter of this address; it has ${PARAMETER}`)
  }
  const given = search.getAll(PARAMETER)
  const [value] = given
  if (value === undefined) return new Set(['core'])
  if (given.length > 1) throw invalidField(PARAMETER, 'is there twice: separate the names of sets with commas')
  if (value.length > MAX_QUERY_CHARACTERS)
    throw invalidField(PARAMETER, `may have at most ${MAX_QUERY_CHARACTERS} characters`)
  const names = value.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !NAMES.includes(name))
  if (unknown !== undefined)
    throw invalidField(PARAMETER, `names no set "${shown(unknown)}"; the sets are ${NAMES.join(', ')}`)
  return new Set(names)
}

/** Enough of what a caller sent to recognise it. */
const shown = (given: string): string => (given.length > 60 ? `${given.slice(0, 60)}…` : given)
