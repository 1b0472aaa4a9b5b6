import type { z } from 'zod'
import type { IdPrefix } from '../domain/ids.ts'

/** What the documentation shows of a call besides what follows from its schemas. */
export interface Example {
  /** Fields that it sends besides those that the call requires, or in place of them. */
  request?: Readonly<Record<string, unknown>>
  /** What its answer says differently from other examples. */
  answer?: Readonly<Record<string, unknown>>
}

/** An id as Berth makes them. */
export const exampleId = (prefix: IdPrefix): string => `${prefix}_01kb3f8q4hevz9sr2m6x7d5t0c`

/** Time of everything that examples show. */
export const EXAMPLE_TIME = '2026-11-20T09:30:00.000Z'

/** Of the environment that examples are about. */
export const EXAMPLE_HOST = 'default-shop-production.berth.localhost'

const byType = new WeakMap<z.ZodType, unknown>()
const origins = new WeakMap<z.ZodType, z.ZodType>()
const byName = new Map<string, Set<unknown>>()

/** A field of a noun shows this value, in whatever answer it is. */
export function declareExample(name: string, type: z.ZodType, value: unknown): void {
  byType.set(type, value)
  byName.set(name, (byName.get(name) ?? new Set()).add(value))
}

/** The second type shows the same fact as the first, and so the same example. */
export const shareExample = (type: z.ZodType, shown: z.ZodType): void => {
  origins.set(shown, type)
}

/** What the field of that type shows; undefined where its noun does not say. */
export function exampleOf(type: z.ZodType): unknown {
  // A type with another description is a copy, which knows what it is a copy of.
  for (let one: z.ZodType | undefined = type; one; one = origins.get(one) ?? (one._zod.parent as typeof one)) {
    if (byType.has(one)) return byType.get(one)
  }
}

/** What fields of that name show elsewhere, as in requests: what the nouns that have one agree on. */
export function exampleNamed(name: string): unknown {
  const [value, ...others] = byName.get(name) ?? []
  return others.length === 0 ? value : undefined
}
