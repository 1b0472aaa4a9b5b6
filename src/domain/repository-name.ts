import { addressProblem, isHttpAddress } from './repository-address.ts'

const NAME = /^[\w.-]{1,100}$/
const RULE = 'at most 100 letters, digits, ".", "_" and "-"'
const RESERVED: ReadonlySet<string> = new Set(['.', '..', '.git'])

const isName = (text: string): boolean => NAME.test(text) && !RESERVED.has(text)

/** What is wrong with the name of a user or an organization; null when a git host could have it. */
export const namespaceProblem = (namespace: string): string | null =>
  namespace === '' || isName(namespace) ? null : `must be the name of a user or an organization: ${RULE}`

/** The same for a repository, by its name or its address. */
export function repositoryProblem(repository: string): string | null {
  if (isHttpAddress(repository)) return addressProblem(repository)
  return repository === '' || isName(repository) ? null : `must be the name of a repository or its address: ${RULE}`
}
