import type { ObjectRef } from '@pothos/core'
import { MAX_COUNT } from '../../../calls/page.ts'
import type { Resource } from '../../../calls/resource.ts'
import { builder } from '../builder.ts'

const connections = new Map<string, ObjectRef<never, unknown>>()

/** As much of Pothos' field builder as is used here. */
interface FieldBuilder {
  int(options: object): unknown
}

interface Counted {
  totalCount?: number | (() => number | Promise<number>)
}

/**
 * The type of every list of a noun, wherever it stands. Call it in the fields of a type, when all types are declared.
 * `type` is the noun's own.
 */
export function connectionTypeOf({ name }: Resource, type: unknown, isCounted = true): never {
  const known = connections.get(name)
  if (known) return known as never
  const counted = {
    fields: (t: FieldBuilder) => ({
      totalCount: t.int({
        description: `Number of items in all pages together, counted to ${MAX_COUNT.toLocaleString('en')} at the top level.`,
        // Pothos reads no rows for a list of which nothing else is wanted.
        extensions: { pothosPrismaTotalCount: true },
        resolve({ totalCount }: Counted) {
          if (totalCount === undefined) throw new Error(`The list of ${name} is not counted`)
          return typeof totalCount === 'function' ? totalCount() : totalCount
        },
      }),
    }),
  }
  const connection = { type, name: `${name}Connection`, ...(isCounted ? counted : {}) }
  const ref = builder.connectionObject(connection as never)
  connections.set(name, ref as never)
  return ref as never
}
