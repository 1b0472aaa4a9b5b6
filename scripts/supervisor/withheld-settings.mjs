import { readFileSync } from 'node:fs'

const SECRETS = JSON.parse(readFileSync(new URL('../../src/config/secret-settings.json', import.meta.url), 'utf8'))
/** An ingress reads its routes from the database, whoever keeps it. */
const isNeeded = (name) => name.startsWith('DATABASE_')

/**
 * An ingress opens no secret, so it gets none, and no file that holds one. Settings that are empty count as unset.
 */
export function withheldFrom(roles) {
  if (roles.some((role) => role !== 'ingress')) return {}
  const names = SECRETS.filter((name) => !isNeeded(name)).flatMap((name) => [name, `${name}_FILE`])
  return Object.fromEntries(names.map((name) => [name, '']))
}
