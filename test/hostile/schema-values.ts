import fc from 'fast-check'
import { MISSING_IMAGE } from './berth-under-test.ts'
import { ODD_VALUES, STRINGS } from './corpus.ts'
import type { Draw } from './draw.ts'
import type { Targets } from './targets.ts'

export interface JsonSchema {
  [key: string]: unknown
  $ref?: string
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  additionalProperties?: JsonSchema | boolean
}

/** Values that pass validation, by the name of the field. */
export const FINE: Readonly<Record<string, unknown>> = {
  name: 'Fuzz',
  port: 80,
  region: 'local',
  image: MISSING_IMAGE,
  email: 'a@example.com',
  roles: ['AUDIT'],
  kind: 'USER',
  type: 'BASIC_AUTH',
  data: { username: 'a', password: 'b' },
  dockerPreset: 'CUSTOM',
  useImage: true,
  containers: 1,
  zClouds: 1,
  envVars: [{ name: 'A', value: 'b' }],
  healthCheckPath: '/',
  healthCheckHeaders: { 'X-A': 'b' },
  limit: 5,
  startupConfig: { command: 'run' },
}

export interface Making {
  draw: Draw
  targets: Targets
  /** True: only values that pass validation, so that the code behind it is reached too. */
  isCalm: boolean
  /** Resolves a reference such as `#/components/schemas/Variable`. */
  resolve(ref: string): JsonSchema
}

/** A value that the schema mostly accepts. Ids are real ones, as far as there are any. */
export function inputOf(making: Making, schema: JsonSchema, field = ''): unknown {
  const { draw, targets } = making
  if (schema.$ref) return inputOf(making, making.resolve(schema.$ref), field)
  if (/Id$/.test(field)) return targets.idFor(field, draw) ?? draw.one(STRINGS)
  if (field in FINE && (making.isCalm || draw.chance(0.7))) return FINE[field]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return draw.one(schema.enum)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) {
    const chosen = draw.one(alternatives)
    // Beside fields, each says which of them it needs.
    if (!schema.properties) return inputOf(making, chosen, field)
    return objectOf(making, { ...schema, required: [...(schema.required ?? []), ...(chosen.required ?? [])] })
  }
  switch (Array.isArray(schema.type) ? draw.one(schema.type) : schema.type) {
    case 'object':
      return objectOf(making, schema)
    case 'array':
      return Array.from({ length: draw.whole(0, 3) }, () => inputOf(making, schema.items ?? {}))
    case 'integer':
    case 'number':
      return making.isCalm || draw.chance(0.8) ? draw.whole(1, 5) : structuredClone(draw.one(ODD_VALUES))
    case 'boolean':
      return draw.chance(0.5)
    case 'null':
      return null
    default:
      if (making.isCalm) return 'text'
      return draw.chance(0.5) ? draw.one(STRINGS) : draw.from(anyText)
  }
}

const anyText = () => fc.string({ unit: 'binary', maxLength: 30 })

function objectOf(making: Making, { properties = {}, required = [], additionalProperties }: JsonSchema) {
  const { draw } = making
  const fields = Object.entries(properties).filter(([name]) => required.includes(name) || draw.chance(0.3))
  const value = Object.fromEntries(fields.map(([name, schema]) => [name, inputOf(making, schema, name)]))
  if (typeof additionalProperties === 'object' && draw.chance(0.7)) {
    value[`X-${draw.whole(1, 9)}`] = inputOf(making, additionalProperties)
  }
  return value
}
