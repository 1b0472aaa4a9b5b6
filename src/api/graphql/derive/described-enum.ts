import type { EnumRef } from '@pothos/core'
import type { Enumeration } from '../../../calls/enumeration.ts'
import { builder } from '../builder.ts'

const byValues = new Map<string, EnumRef<never, string>>()
const byName = new Map<string, EnumRef<never, string>>()

const keyOf = (values: readonly string[]) => [...values].sort().join(' ')

/**
 * An enum with a description on every value, found again by its values or its name: what services take and answer
 * with is declared by its values.
 */
export function describedEnum<Value extends string>({ name, description, values, nameOf }: Enumeration<Value>) {
  const entries = Object.entries<string>(values).map(([value, about]) => {
    return [nameOf(value), { value: value as Value, description: about }] as const
  })
  const ref = builder.enumType(name, { description, values: Object.fromEntries(entries) })
  byValues.set(keyOf(Object.keys(values)), ref as unknown as EnumRef<never, string>)
  byName.set(name, ref as unknown as EnumRef<never, string>)
  return ref as unknown as EnumRef<never, Value>
}

/** The enum of exactly these values. Throws for one that is not described yet, which shows at start. */
export function enumOf(values: readonly string[]): EnumRef<never, string> {
  return known(byValues.get(keyOf(values)), values.join(', '))
}

export function enumNamed(name: string): EnumRef<never, string> {
  return known(byName.get(name), name)
}

function known(ref: EnumRef<never, string> | undefined, what: string): EnumRef<never, string> {
  if (!ref) throw new Error(`Describe the enum of ${what} in api/graphql/schema/enums.ts`)
  return ref
}
