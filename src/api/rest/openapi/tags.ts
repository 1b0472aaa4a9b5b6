import { GROUPS } from '../../../services/catalogue.ts'
import type { Route } from '../protocol/route.ts'

/** The groups of these routes, with their words. */
export function tagsOf(routes: readonly Route[]) {
  const used = new Set(routes.map(({ group }) => group))
  return GROUPS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }))
}

/** `deployImage` → "Deploy image": short enough for a list of all calls. */
export function titleOf(operationId: string): string {
  const words = operationId.replace(/AppEnvs?/g, (noun) => noun.replace('AppEnv', 'Environment'))
  const title = words.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return title.charAt(0).toUpperCase() + title.slice(1)
}
