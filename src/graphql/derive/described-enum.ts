import type { EnumRef } from '@pothos/core'
import { builder } from '../builder.ts'

const byValues = new Map<string, EnumRef<never, string>>()

const keyOf = (values: readonly string[]) => [...values].sort().join(' ')

/**
 * An enum with a description on every value, found again by its values: inputs that services describe take
 * the enum that answers use. `inside` maps names to what services call them, where that is no GraphQL name.
 */
export function describedEnum<const Values extends Record<string, string>>(
  name: string,
  description: string,
  values: Values,
  inside: Partial<Record<keyof Values & string, string>> = {},
) {
  const entries = Object.entries(values).map(([value, about]) => {
    return [value, { value: inside[value] ?? value, description: about }] as const
  })
  const ref = builder.enumType(name, { description, values: Object.fromEntries(entries) })
  byValues.set(keyOf(entries.map(([, { value }]) => value)), ref as unknown as EnumRef<never, string>)
  return ref as unknown as EnumRef<never, keyof Values & string>
}

/** The enum of exactly these values. Throws for one that is not described yet, which shows at start. */
export function enumOf(values: readonly string[]): EnumRef<never, string> {
  const ref = byValues.get(keyOf(values))
  if (!ref) throw new Error(`Describe the enum of ${values.join(', ')} in graphql/schema/enums.ts`)
  return ref
}
