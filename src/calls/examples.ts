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

/** When all happened that examples tell of. */
export const EXAMPLE_TIME = '2026-11-20T09:30:00.000Z'

/** Of the environment that examples are about. */
export const EXAMPLE_HOST = 'default-shop-production.berth.localhost'
