import type { GitDeliveryEnvironment } from '../../domain/git-push.ts'
import { newId } from '../../domain/ids.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { GitDelivery } from '../../storage/database/generated/prisma/client.ts'
import { decidePullRequest } from './decide-pull-request.ts'
import { decidePush } from './decide-push.ts'
import { type Deciding, type Decision, environmentsOf, ignored } from './decision.ts'
import type { Delivered } from './read-delivery.ts'

/** Deleted at a time, of those beyond what is kept. */
const MAX_DELETED = 100

type Recording = Omit<Deciding, 'earlier'> & { delivered: Delivered }

/**
 * Decides about a delivery, under the lock of its source, and writes it to the log. One that arrived before is decided
 * again, except for what it has done already: so it can be sent again once an obstacle is removed.
 */
export async function recordDelivery({
  delivered,
  ...recording
}: Recording): Promise<{ row: GitDelivery; begun: GitDeliveryEnvironment[] }> {
  const { context, source, concerned } = recording
  const { tx, config } = context
  const { accountId } = concerned
  const key = { accountId, source: source.id, deliveryKey: delivered.key }
  const earlier = await tx.gitDelivery.findUnique({ where: { accountId_source_deliveryKey: key } })
  const { environments, ...decision } = await decide({ ...recording, earlier }, delivered)
  const result = { ...decision, environments: environments as unknown as object[] }
  const row = earlier
    ? await tx.gitDelivery.update({ where: { id: earlier.id }, data: result })
    : await tx.gitDelivery.create({ data: { id: newId('gdlv'), ...key, ...saidOf(delivered), ...result } })
  if (!earlier) await deleteOldest(tx, accountId, config.BERTH_GIT_DELIVERIES)
  const before = new Set(environmentsOf(earlier).map(({ operationId }) => operationId))
  const begun = environments.filter(({ outcome, operationId }) => outcome !== 'IGNORED' && !before.has(operationId))
  return { row, begun }
}

function decide(deciding: Deciding, { parsed }: Delivered): Promise<Decision> | Decision {
  if ('push' in parsed) return decidePush(deciding, parsed.push)
  if ('pullRequest' in parsed) return decidePullRequest(deciding, parsed.pullRequest)
  return ignored(parsed.reason, parsed.message)
}

function saidOf({ provider, event, parsed }: Delivered) {
  if ('push' in parsed) {
    const { repositories, branch, from: fromCommitId, commit: commitId, pusher } = parsed.push
    return { provider, event, repository: repositories[0] ?? null, branch, fromCommitId, commitId, pusher }
  }
  if (!('pullRequest' in parsed)) return { provider, event }
  const { repositories, branch, from: fromCommitId, commit: commitId, pusher, ...pullRequest } = parsed.pullRequest
  const { number: pullRequestNumber, action: pullRequestAction, happenedAt } = pullRequest
  return {
    provider,
    event,
    repository: repositories[0] ?? null,
    branch,
    fromCommitId,
    commitId,
    pusher,
    pullRequestNumber,
    pullRequestAction,
    happenedAt,
  }
}

const deleteOldest = (tx: Transaction, accountId: string, kept: number): Promise<number> =>
  tx.$executeRaw`
    DELETE FROM git_delivery WHERE id IN (
      SELECT id FROM git_delivery WHERE account_id = ${accountId} ORDER BY id DESC OFFSET ${kept} LIMIT ${MAX_DELETED})`
