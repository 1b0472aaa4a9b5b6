import { OPERATIONS, type Operation, resolve } from './rest-cases.ts'
import type { JsonSchema } from './schema-values.ts'

export interface TextField {
  operation: Operation
  /** Where in the body; `*` is an item of a list, `{}` a key of a map. */
  path: readonly string[]
}

/** Every text that a body can hold, of every operation that takes one. */
export const TEXT_FIELDS: readonly TextField[] = OPERATIONS.flatMap((operation) =>
  operation.body ? textPaths(operation.body).map((path) => ({ operation, path })) : [],
)

function textPaths(schema: JsonSchema): string[][] {
  if (schema.$ref) return textPaths(resolve(schema.$ref))
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives && !schema.properties) return alternatives.flatMap(textPaths)
  const { properties = {}, items, additionalProperties } = schema
  const inside = Object.entries(properties).flatMap(([name, property]) =>
    textPaths(property).map((path) => [name, ...path]),
  )
  const ofItems = items ? textPaths(items).map((path) => ['*', ...path]) : []
  const ofMap = typeof additionalProperties === 'object' ? [['{}']] : []
  const own = [schema.type].flat().includes('string') ? [[]] : []
  return [...inside, ...ofItems, ...ofMap, ...own]
}

/** The body with the text in that field; missing parents are created. */
export function withText(
  body: Record<string, unknown>,
  path: readonly string[],
  text: string,
): Record<string, unknown> {
  return placed(body, path, text) as Record<string, unknown>
}

function placed(holder: unknown, [step, ...rest]: readonly string[], text: string): unknown {
  if (step === undefined) return text
  if (step === '*') return [placed(rest.length > 0 ? ITEM : undefined, rest, text)]
  if (step === '{}') return { 'X-A': text }
  const known = typeof holder === 'object' && holder !== null ? (holder as Record<string, unknown>) : {}
  // Of a credential, both parts are put to the test together.
  if (step === 'data') return { ...known, data: { username: text, password: text } }
  return { ...known, ...COMPANIONS[step], [step]: placed(known[step], rest, text) }
}

/** An environment variable, which is the only item of a list that has fields. */
const ITEM = { name: 'A', value: 'b' }

/** What some fields need beside them to be taken at all. */
const COMPANIONS: Record<string, Record<string, unknown>> = {
  args: { command: 'run' },
  workingDir: { command: 'run' },
  gitNamespace: { gitRepo: 'a', gitInstallationId: '1' },
  gitRepo: { gitNamespace: 'a', gitInstallationId: '1' },
  gitInstallationId: { gitNamespace: 'a', gitRepo: 'a' },
}
