import type { z } from 'zod'
import { type Enumeration, enumeration } from './enumeration.ts'

export const listOrder = enumeration('ListOrder', 'Order of a list.', {
  NEWEST_FIRST: 'Newest entries first.',
  OLDEST_FIRST: 'Oldest entries first.',
})

export type ListOrder = z.output<typeof listOrder.type>

export const namedOrder = enumeration('NamedOrder', 'Order of a list, by age or name.', {
  NEWEST_FIRST: 'Newest entries first.',
  OLDEST_FIRST: 'Oldest entries first.',
  NAME: 'By name, from A to Z.',
})

/** How a part of a list is ordered, as Prisma has it; the last column is unique. */
export type OrderBy = readonly Readonly<Record<string, 'asc' | 'desc'>>[]

/** The orders in which callers may have a list; the first is the usual one. */
export interface Orders<Value extends string = string> {
  enumeration: Enumeration<Value>
  by: Readonly<Record<Value, OrderBy>>
}

/** Ids sort by creation. */
export const BY_AGE: Orders<ListOrder> = {
  enumeration: listOrder,
  by: { NEWEST_FIRST: [{ id: 'desc' }], OLDEST_FIRST: [{ id: 'asc' }] },
}

export const BY_VERSION: Orders<ListOrder> = {
  enumeration: listOrder,
  by: { NEWEST_FIRST: [{ version: 'desc' }], OLDEST_FIRST: [{ version: 'asc' }] },
}

export const BY_AGE_OR_NAME: Orders<z.output<typeof namedOrder.type>> = {
  enumeration: namedOrder,
  by: {
    ...BY_AGE.by,
    NAME: [{ name: 'asc' }, { id: 'asc' }],
  },
}

/** Of members, who have no id of their own. */
export const BY_USER: Orders<ListOrder> = {
  enumeration: listOrder,
  by: { NEWEST_FIRST: [{ userId: 'desc' }], OLDEST_FIRST: [{ userId: 'asc' }] },
}

/**
 * The order of every list, in both APIs and wherever a list is part of something else: newest first, except where it
 * says why not. Ids sort by creation.
 */
export const ORDER = {
  account: { id: 'desc' },
  app: { id: 'desc' },
  appEnv: { id: 'desc' },
  backup: { id: 'desc' },
  deployment: { version: 'desc' },
  /** The automatic one, which is created with the environment, comes first. */
  host: { id: 'asc' },
  label: { key: 'asc' },
  member: { userId: 'desc' },
  membershipOfUser: { accountId: 'desc' },
  jobRun: { id: 'desc' },
  operation: { id: 'desc' },
  installation: { id: 'desc' },
  invitation: { id: 'desc' },
  authorization: { id: 'desc' },
  /** Catalogues are sorted by name: their entries are looked up, not followed. */
  plan: { code: 'asc' },
  region: { code: 'asc' },
  token: { id: 'desc' },
  credential: { id: 'desc' },
  /** As they stand in an env file. */
  variable: { name: 'asc' },
  volume: { id: 'desc' },
  webhook: { id: 'desc' },
  webhookDelivery: { id: 'desc' },
  gitHook: { id: 'desc' },
  gitDelivery: { id: 'desc' },
} as const
