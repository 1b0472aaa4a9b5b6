import type { InputFieldMap, InputRef } from '@pothos/core'
import type { z } from 'zod'
import { containerSettings, tmpfsFolder, ulimit } from '../../../app-types/container-settings.ts'
import { variable } from '../../../calls/input.ts'
import { changedVariable } from '../../../services/app-env/variable-commands.ts'
import { appEnvHealthCheck, appHealthCheck, probe } from '../../../services/health-check/health-check-input.ts'
import { runVariable } from '../../../services/job-run/new-job-run.ts'
import { buildResources } from '../../../services/plan/build-resources.ts'
import { builder } from '../builder.ts'
import { enumOf } from './described-enum.ts'
import { definitionOf, isIdName, isWhole, unwrapped } from './zod-definition.ts'

type InputBuilder = Parameters<NonNullable<Parameters<typeof builder.inputType>[1]['fields']>>[0]

interface Unwrapped {
  schema: z.ZodType
  isRequired: boolean
  description: string
}

/** A default is part of the description, because the schema decides it. */
function unwrap(field: z.ZodType): Unwrapped {
  const { schema, wrappers, description = '' } = unwrapped(field)
  const fallbacks = wrappers.filter(({ type, defaultValue }) => type === 'default' && isShown(defaultValue))
  return {
    schema,
    isRequired: !wrappers.some(({ type }) => type === 'optional' || type === 'default'),
    description: description + fallbacks.map(({ defaultValue }) => ` Default: ${defaultValue}.`).join(''),
  }
}

const isShown = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value) && value !== ''

/** Objects that are not called after the first field that takes one. */
const TYPE_NAMES = new Map<z.ZodType, string>([
  [variable, 'EnvVar'],
  [changedVariable, 'ChangedVariable'],
  [probe, 'Probe'],
  [appHealthCheck, 'HealthCheck'],
  [appEnvHealthCheck, 'AppEnvHealthCheck'],
  [runVariable, 'JobRunVariable'],
  [buildResources, 'BuildResources'],
  [containerSettings, 'ContainerSettings'],
  [tmpfsFolder, 'TmpfsFolder'],
  [ulimit, 'Ulimit'],
])

const nestedTypes = new Map<z.ZodType, InputRef<unknown>>()

/** One GraphQL input type for each object schema, however many inputs it is a part of. */
function objectType(schema: z.ZodType, fieldName: string): InputRef<unknown> {
  const known = nestedTypes.get(schema)
  if (known) return known
  const ref = builder.inputType(`${TYPE_NAMES.get(schema) ?? typeNameOf(fieldName)}Input`, {
    description: schema.description ?? `An item of \`${fieldName}\`.`,
    fields: (t) => inputFields(t, schema as z.ZodObject),
  })
  nestedTypes.set(schema, ref as InputRef<unknown>)
  return ref as InputRef<unknown>
}

/** `envVars` → `EnvVar`: the type of one. */
const typeNameOf = (fieldName: string) => fieldName.charAt(0).toUpperCase() + fieldName.slice(1).replace(/(?<!s)s$/, '')

function typeOf(schema: z.ZodType, fieldName: string): unknown {
  const definition = definitionOf(schema)
  switch (definition.type) {
    case 'string':
      return isIdName(fieldName) ? 'ID' : 'String'
    case 'boolean':
      return 'Boolean'
    case 'number':
      return isWhole(schema) ? 'Int' : 'Float'
    case 'enum':
      return enumOf(Object.values(definition.entries ?? {}))
    case 'object':
      return objectType(schema, fieldName)
    case 'record':
      return 'JSON'
    case 'array':
      return [typeOf(unwrap(definition.element as z.ZodType).schema, fieldName)]
    default:
      throw new Error(`No GraphQL type for a Zod ${definition.type} (${fieldName})`)
  }
}

/** GraphQL input fields that take what the Zod object takes; Zod itself checks the values, in the service. */
export function inputFields(t: InputBuilder, schema: z.ZodObject): InputFieldMap {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const { schema: inner, isRequired, description } = unwrap(field as z.ZodType)
    if (!description) throw new Error(`The input field ${name} has no description`)
    const type = typeOf(inner, name) as 'String'
    return [name, t.field({ type, required: isRequired, description })]
  })
  return Object.fromEntries(fields)
}
