import { appEnvReferences, withReferenced } from './references.ts'

interface Variable {
  name: string
  value: string
  isSecret: boolean
}

/**
 * The names of variables that may be passed to others: none that is secret, none that leads to another environment, whose
 * password it may hold, and none that refers to such a one.
 */
export function sharedVariables(variables: readonly Variable[]): Set<string> {
  const values = new Map(variables.map(({ name, value }) => [name, value]))
  const isOwn = ({ value, isSecret }: Variable) => isSecret || appEnvReferences([value]).length > 0
  const own = new Set(variables.filter(isOwn).map(({ name }) => name))
  const isShared = (name: string) => [...withReferenced([name], values)].every((one) => !own.has(one))
  return new Set([...values.keys()].filter(isShared))
}
