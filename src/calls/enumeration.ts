import { z } from 'zod'

/** A closed set of values, each with its words. REST sends the values; GraphQL names them. */
export interface Enumeration<Value extends string = string> {
  readonly name: string
  readonly description: string
  readonly values: Readonly<Record<Value, string>>
  readonly type: z.ZodEnum<{ [V in Value]: V }>
  readonly nameOf: (value: string) => string
}

/** `svc:read` → `SVC_READ`: GraphQL's names are upper case, of letters, digits and underscores. */
const upperCase = (value: string) => value.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')

const byType = new WeakMap<z.ZodType, Enumeration>()

export function enumeration<Value extends string>(
  name: string,
  description: string,
  values: Readonly<Record<Value, string>>,
  nameOf: (value: string) => string = upperCase,
): Enumeration<Value> {
  const type = z.enum(Object.keys(values) as [Value, ...Value[]]) as unknown as Enumeration<Value>['type']
  const declared: Enumeration<Value> = { name, description, values, nameOf, type }
  byType.set(type, declared as unknown as Enumeration)
  return declared
}

/** The enumeration whose values have this type. */
export function enumerationOf(type: z.ZodType): Enumeration | undefined {
  // A type with another description is a copy, which knows what it is a copy of.
  for (let one: z.ZodType | undefined = type; one; one = one._zod.parent as z.ZodType | undefined) {
    const known = byType.get(one)
    if (known) return known
  }
}
