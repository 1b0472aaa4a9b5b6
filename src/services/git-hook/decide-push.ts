import { asksToSkip, type GitPush } from '../../domain/git-push.ts'
import type { Transaction } from '../../storage/database/client.ts'
import { allIgnored, type Deciding, type Decision, earlierBy, ignored } from './decision.ts'
import { deployEach, findConcerned } from './deploy-push.ts'

/** Deploys what a push concerns, or says why not. */
export async function decidePush(deciding: Deciding, push: GitPush): Promise<Decision> {
  const { context, concerned, earlier } = deciding
  const { commit } = push
  if (commit === null) return ignored('BRANCH_DELETED', `The branch ${push.branch} was deleted`)
  if (asksToSkip(push)) return ignored('SKIPPED', 'The newest commit asks for [skip ci]')
  const appEnvIds = await findConcerned(context, concerned, push)
  if (appEnvIds.length === 0) return ignored('NO_ENVIRONMENT', noEnvironment(push))
  if (await isLate(context.tx, concerned.accountId, { ...push, commit }, earlier?.id ?? null))
    return ignored('OUT_OF_ORDER', 'A later push to the branch arrived before this one')
  const environments = await deployEach(
    { ...deciding, push: { ...push, commit } },
    appEnvIds,
    earlierBy(earlier, 'appEnvId'),
  )
  const deployed = environments.filter(({ outcome }) => outcome === 'DEPLOYED').length
  if (deployed === 0) return allIgnored(environments)
  const message = `Commit ${commit.slice(0, 12)} of ${push.branch} is deployed to ${deployed} of ${environments.length} environment(s)`
  return { outcome: 'DEPLOYED', reason: null, message, environments }
}

const noEnvironment = ({ branch, repositories }: GitPush) =>
  `No environment with auto-deploy is built from the branch ${branch} of ${repositories.join(' or ')}`

/**
 * Git hosts promise no order, and what was sent once can be sent again. A push that does not begin where the last one
 * has ended is late when another one began where it ends.
 */
async function isLate(
  tx: Transaction,
  accountId: string,
  { repositories, branch, from, commit }: GitPush & { commit: string },
  deliveryId: string | null,
): Promise<boolean> {
  if (from === null) return false
  const pushes = { accountId, repository: repositories[0] ?? null, branch, pullRequestNumber: null }
  const others = { ...pushes, NOT: { id: deliveryId ?? '' } }
  const last = await tx.gitDelivery.findFirst({ where: others, orderBy: { id: 'desc' } })
  if (!last || last.commitId === from) return false
  return (await tx.gitDelivery.findFirst({ where: { ...others, fromCommitId: commit } })) !== null
}
