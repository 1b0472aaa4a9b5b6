import { getNamedType, isObjectType } from 'graphql'
import { schema } from '../../src/api/graphql/schema.ts'

const typeOf = (typeName: string, field: string) => {
  const type = schema.getType(typeName)
  const found = isObjectType(type) ? type.getFields()[field] : undefined
  if (!found) throw new Error(`${typeName} has no field ${field}`)
  return getNamedType(found.type)
}

/** A field with all that it holds: objects that are no things of their own are selected in depth. */
export function wholeField(typeName: string, field: string): string {
  const type = typeOf(typeName, field)
  if (!isObjectType(type)) return field
  const fields = Object.keys(type.getFields()).map((name) => wholeField(type.name, name))
  return `${field} { ${fields.join(' ')} }`
}

const isEntry = (one: unknown): boolean => Object.keys(Object(one)).join() === 'key,value'

/** What GraphQL answers as REST has it: lists of keys and values are objects, and what is not set is absent. */
export function asInRest(value: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0 || !value.every(isEntry)) return value.map(asInRest)
    return Object.fromEntries(value.map((one: { key: string; value: string }) => [one.key, one.value]))
  }
  if (typeof value !== 'object' || value === null) return value
  const set = Object.entries(value).filter(([, part]) => part !== null)
  return Object.fromEntries(set.map(([name, part]) => [name, asInRest(part)]))
}

/** The same of the fields of what is asked for, of which null says that there is none. */
export const fieldsAsInRest = (body: unknown): unknown =>
  Object.fromEntries(Object.entries(Object(body)).map(([name, value]) => [name, asInRest(value)]))
