import type { CommandContext, OperationLimits } from '../../calls/command.ts'
import type { GitDeliveryEnvironment } from '../../domain/git-push.ts'
import type { GitDelivery } from '../../storage/database/generated/prisma/client.ts'
import type { Concerned, GitSource } from './git-source.ts'

/** What a decision about a delivery is made with, under the lock of its source. */
export interface Deciding {
  context: CommandContext
  limits: OperationLimits | undefined
  source: GitSource
  concerned: Concerned
  /** The entry of the log, where the delivery arrived before. */
  earlier: GitDelivery | null
}

export type Decision = Pick<GitDelivery, 'outcome' | 'reason' | 'message'> & {
  environments: GitDeliveryEnvironment[]
}

export const ignored = (reason: string, message: string): Decision => ({
  outcome: 'IGNORED',
  reason,
  message,
  environments: [],
})

/** Nothing was done for any of these, each of which says why. */
export function allIgnored(environments: GitDeliveryEnvironment[]): Decision {
  const [first] = environments
  const message = environments.length === 1 ? first?.message : 'Nothing is deployed; each of the environments says why'
  return { ...ignored(first?.reason ?? 'NO_ENVIRONMENT', message ?? ''), environments }
}

/** What an earlier receipt of the delivery has come to, by what it was about. */
export const earlierBy = (earlier: GitDelivery | null, name: 'appId' | 'appEnvId') =>
  new Map(environmentsOf(earlier).flatMap((one) => (one[name] ? [[one[name], one] as const] : [])))

export const environmentsOf = (row: GitDelivery | null) =>
  (row?.environments ?? []) as unknown as readonly GitDeliveryEnvironment[]
