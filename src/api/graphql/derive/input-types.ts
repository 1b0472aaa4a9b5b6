import type { InputFieldMap, InputRef } from '@pothos/core'
import type { z } from 'zod'
import { containerSettings, tmpfsFolder, ulimit } from '../../../app-types/container-settings.ts'
import { alternativesInWords, isOneField } from '../../../calls/alternatives.ts'
import { variable } from '../../../calls/input.ts'
import { invalidField } from '../../../domain/errors.ts'
import { changedVariable } from '../../../services/app-env/variable-commands.ts'
import { gitInstallationProof } from '../../../services/git/connect-git-installation.ts'
import { appEnvHealthCheck, appHealthCheck, probe } from '../../../services/health-check/health-check-input.ts'
import { runVariable } from '../../../services/job-run/new-job-run.ts'
import { buildResources } from '../../../services/plan/build-resources.ts'
import { builder } from '../builder.ts'
import { enumOf } from './described-enum.ts'
import { definitionOf, isIdName, isTextRecord, isWhole, pascal, unwrapped } from './zod-definition.ts'

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
  [gitInstallationProof, 'GitInstallationProof'],
])

const nestedTypes = new Map<z.ZodType, InputRef<unknown>>()

/** One GraphQL input type for each object schema, however many inputs it is a part of. */
function objectType(schema: z.ZodType, fieldName: string): InputRef<unknown> {
  const known = nestedTypes.get(schema)
  if (known) return known
  const { shape } = schema as z.ZodObject
  const about = schema.description ?? `An item of \`${fieldName}\`.`
  const isOneOf = isOneField(shape)
  const ref = builder.inputType(`${TYPE_NAMES.get(schema) ?? typeNameOf(fieldName)}Input`, {
    description: isOneOf ? about : [about, ...alternativesInWords(shape)].join(' '),
    isOneOf,
    fields: (t) => inputFields(t, schema as z.ZodObject),
  })
  nestedTypes.set(schema, ref as InputRef<unknown>)
  return ref as InputRef<unknown>
}

/** `envVars` → `EnvVar`: the type of one. */
const typeNameOf = (fieldName: string) => pascal(fieldName).replace(/(?<!s)s$/, '')

const entryTypes = new Map<string, InputRef<unknown>>()

/** GraphQL has no objects of any keys: what REST takes as an object is a list. Null as a value, where that may be sent, removes. */
function entryType(schema: z.ZodType, fieldName: string): InputRef<unknown> {
  const isChange = isNullable(definitionOf(schema).valueType as z.ZodType)
  const name = `${typeNameOf(fieldName)}${isChange ? 'Change' : ''}Input`
  const known = entryTypes.get(name)
  if (known) return known
  const value = isChange ? 'Value of the item. Null removes the item.' : 'Value of the item.'
  const ref = builder.inputType(name, {
    description: `An item of \`${fieldName}\`.`,
    fields: (t) => ({
      key: t.string({ required: true, description: 'Name of the item, once in the list.' }),
      value: t.string({ required: !isChange, description: value }),
    }),
  })
  entryTypes.set(name, ref as InputRef<unknown>)
  return ref as InputRef<unknown>
}

const isNullable = (schema: z.ZodType): boolean => unwrapped(schema).wrappers.some(({ type }) => type === 'nullable')

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
      return isTextRecord(schema) ? [entryType(schema, fieldName)] : 'JSON'
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

interface Entry {
  key: string
  value?: string | null
}

/** What was sent, with objects where the service takes objects and GraphQL lists. Throws for a key that is there twice. */
export function withRecords(schema: z.ZodType, sent: unknown, path = ''): unknown {
  if (sent === null || sent === undefined) return sent
  const { schema: inner } = unwrapped(schema)
  if (isTextRecord(inner)) return recordOf(sent as Entry[], path)
  const { type, element } = definitionOf(inner)
  if (type === 'array')
    return (sent as unknown[]).map((item, index) => withRecords(element as z.ZodType, item, `${path}.${index}`))
  if (type !== 'object') return sent
  const { shape } = inner as z.ZodObject
  const fields = Object.entries(sent).map(([name, value]) => {
    const field = shape[name] as z.ZodType | undefined
    return [name, field ? withRecords(field, value, path ? `${path}.${name}` : name) : value]
  })
  return Object.fromEntries(fields)
}

function recordOf(sent: readonly Entry[], path: string): Record<string, string | null> {
  const record = new Map<string, string | null>()
  for (const { key, value = null } of sent) {
    if (record.has(key)) throw invalidField(path, `has ${JSON.stringify(key)} twice`)
    record.set(key, value)
  }
  return Object.fromEntries(record)
}
