import type { OperationLimits } from '../../calls/command.ts'
import { withRetries } from '../../calls/perform.ts'
import { unauthenticated } from '../../domain/errors.ts'
import type { GitDeliveryEnvironment } from '../../domain/git-push.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { GitDelivery } from '../../storage/database/generated/prisma/client.ts'
import { type GitRequest, isSignedBy } from '../../storage/secrets/git-signature.ts'
import { asSystemOn, type SystemTools } from '../system/as-system.ts'
import { GIT_HOOK_ACTOR } from './deploy-push.ts'
import { type GitSource, lockConcerned } from './git-source.ts'
import { type Delivered, payloadOf, readDelivery } from './read-delivery.ts'
import { recordDelivery } from './record-delivery.ts'

interface Tools extends SystemTools {
  limits?: OperationLimits | undefined
}

/** What a git host has sent, of which nothing is known to be true yet. */
export interface GitHookRequest extends Pick<GitRequest, 'header' | 'body'> {
  contentType: string | undefined
  /** Of the client that sends it, for the audit log. */
  address: string
}

export const notProven = () =>
  unauthenticated(
    'This is not a delivery of a git hook: check the URL with its `hook`, and that the git host has the secret of that hook',
  )

/** What is answered to the git host, which shows it beside the delivery. */
export interface GitHookAnswer {
  deliveries: Pick<GitDelivery, 'outcome' | 'reason' | 'message'>[]
}

/**
 * Takes a delivery of a git host: authenticates it, reads it, and begins the builds that it asks for, in one transaction
 * for each account. A repeated delivery begins nothing twice. Throws UNAUTHENTICATED.
 */
export async function receiveGitHook(tools: Tools, source: GitSource, sent: GitHookRequest): Promise<GitHookAnswer> {
  const request = { ...sent, payload: payloadOf(sent.contentType, sent.body) }
  if (!source.secrets.some((secret) => isSignedBy(source.provider, request, secret))) throw notProven()
  const delivered = readDelivery(source.provider, request)
  const deliveries: GitDelivery[] = []
  for (const accountId of await accountsOf(tools, source, delivered)) {
    const delivery = await withRetries(() => deliver(tools, source, { accountId, delivered, address: sent.address }))
    if (delivery) deliveries.push(delivery)
  }
  if (source.accountId !== null && deliveries.length === 0) throw notProven()
  return { deliveries: deliveries.map(({ outcome, reason, message }) => ({ outcome, reason, message })) }
}

/** Of the GitHub App: all that have proved that the installation is theirs. */
async function accountsOf({ database }: Tools, source: GitSource, { installationId }: Delivered): Promise<string[]> {
  if (source.accountId !== null) return [source.accountId]
  if (installationId === null) return []
  const found = await database.gitInstallation.findMany({ where: { installationId }, orderBy: { accountId: 'asc' } })
  return found.map(({ accountId }) => accountId)
}

/** Null when the hook is gone. */
async function deliver(
  tools: Tools,
  source: GitSource,
  { accountId, delivered, address }: { accountId: string; delivered: Delivered; address: string },
): Promise<GitDelivery | null> {
  let recorded: GitDelivery | null = null
  const lock = (tx: Transaction) =>
    lockConcerned({ tx, config: tools.config }, source, { accountId, installationId: delivered.installationId })
  await asSystemOn(tools, { actor: GIT_HOOK_ACTOR, lock }, async (context, concerned) => {
    const { row, begun } = await recordDelivery({ context, limits: tools.limits, source, concerned, delivered })
    recorded = row
    if (begun.length === 0) return null
    const { repository, branch, commitId, pullRequestNumber } = row
    const about = pullRequestNumber === null ? {} : { pullRequestNumber }
    return {
      action: pullRequestNumber === null ? 'deployPush' : 'deployPullRequest',
      actorId: source.id,
      targetType: 'gitDelivery',
      targetId: row.id,
      details: {
        actor: GIT_HOOK_ACTOR,
        address,
        repository,
        branch,
        ...about,
        commitId,
        environments: begun.map(shown),
      },
    }
  })
  return recorded
}

const shown = ({ appEnvId, operationId, outcome }: GitDeliveryEnvironment) => {
  return { appEnvId, operationId, ...(outcome === 'DELETED' ? { deleted: true } : {}) }
}
