import type { z } from 'zod'
import { enumeration } from './enumeration.ts'

export const listOrder = enumeration('ListOrder', 'Order of a list.', {
  NEWEST_FIRST: 'Newest entries first.',
  OLDEST_FIRST: 'Oldest entries first.',
})

export type ListOrder = z.output<typeof listOrder.type>

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
