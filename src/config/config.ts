import type { z } from 'zod'
import type { FieldProblem } from '../domain/errors.ts'
import { readFields } from '../domain/field-problems.ts'
import { SECRET, withSecretFiles } from './secret-files.ts'
import { SETTINGS } from './settings.ts'
import { unknownSettings } from './unknown-settings.ts'

export type Config = Readonly<z.infer<typeof SETTINGS>>

/**
 * Reads the environment. Throws one Error that names every setting that is wrong or misspelt, what it was and what it
 * may be. Empty values count as unset.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const { values, problems: unreadable } = withSecretFiles(environment)
  const given = Object.fromEntries(
    Object.keys(SETTINGS.shape).flatMap((name) => (values[name]?.trim() ? [[name, values[name]]] : [])),
  )
  const { data, problems = [] } = readFields(SETTINGS, given)
  const wrong = [...unknownSettings(environment).problems, ...unreadable, ...linesOf(problems, given)]
  if (!data || wrong.length > 0) throw refusal(wrong)
  assertPortsDiffer(data)
  return Object.freeze({ ...data, DATABASE_URL: withPassword(data) })
}

/** A list has a problem for each of its parts, and one sentence about the setting says them all. */
function linesOf(problems: readonly FieldProblem[], given: Record<string, string | undefined>): string[] {
  const rules = new Map(problems.map(({ field, message }) => [field.split('.')[0] ?? field, message]))
  return [...rules].map(([name, rule]) => {
    const what = SECRET.has(name) ? 'what was given is a secret and not shown' : `not ${JSON.stringify(given[name])}`
    return `  ${name}: ${rule}; ${what}`
  })
}

/** So that a password can be mounted as a file, apart from the address. */
function withPassword({ DATABASE_URL, DATABASE_PASSWORD }: Config): string | undefined {
  if (!DATABASE_URL || !DATABASE_PASSWORD) return DATABASE_URL
  const url = new URL(DATABASE_URL)
  url.password ||= encodeURIComponent(DATABASE_PASSWORD)
  return url.href
}

const refusal = (lines: string[]) => new Error(`Berth cannot start with this configuration:\n${lines.join('\n')}`)

/** Only roles that this process plays listen. Listening twice on one port would look like another program's. */
function assertPortsDiffer({ BERTH_ROLES: roles, BERTH_TCP_PORTS: external, ...config }: Config): void {
  const other = roles.includes('api') ? 'PORT' : 'BERTH_HEALTH_PORT'
  if (!roles.includes('ingress')) return
  if (config[other] !== 0 && config[other] === config.INGRESS_PORT)
    throw refusal([`  ${other} and INGRESS_PORT: must differ; both are ${config.INGRESS_PORT}`])
  for (const name of [other, 'INGRESS_PORT'] as const)
    if (external.includes(config[name]))
      throw refusal([`  ${name} and BERTH_TCP_PORTS: must differ; both have ${config[name]}`])
}
