/** The order of every list, in both APIs and wherever a list is part of something else. Ids sort by creation. */
export const ORDER = {
  account: { id: 'asc' },
  app: { id: 'asc' },
  appEnv: { id: 'asc' },
  /** The newest first. */
  backup: { id: 'desc' },
  /** The newest version first. */
  deployment: { version: 'desc' },
  /** The automatic one first. */
  host: { id: 'asc' },
  member: { userId: 'asc' },
  membershipOfUser: { accountId: 'asc' },
  /** The newest first. */
  jobRun: { id: 'desc' },
  /** What goes on now is what is asked for. */
  operation: { id: 'desc' },
  /** The newest first. */
  installation: { id: 'desc' },
  /** The newest first. */
  invitation: { id: 'desc' },
  /** The newest first. */
  authorization: { id: 'desc' },
  plan: { code: 'asc' },
  region: { code: 'asc' },
  token: { id: 'asc' },
  credential: { id: 'asc' },
  variable: { name: 'asc' },
  volume: { id: 'asc' },
  webhook: { id: 'asc' },
  /** The newest first. */
  webhookDelivery: { id: 'desc' },
  gitHook: { id: 'asc' },
  /** The newest first. */
  gitDelivery: { id: 'desc' },
} as const
