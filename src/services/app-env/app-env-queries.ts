import { accountOrCurrent, type Caller, permit, visibleAppEnvIds } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { exampleId } from '../../calls/examples.ts'
import { containing, labelled, oneOf, since, until, withText } from '../../calls/filters.ts'
import { id } from '../../calls/input.ts'
import { BY_AGE_OR_NAME } from '../../calls/order.ts'
import { listQuery } from '../../calls/query.ts'
import type { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { appTypes } from '../app-type/app-type-fields.ts'
import { appEnvStatus } from '../targets/app-env-reference.ts'
import { findApp } from '../targets/find-app.ts'
import { requireAccount } from '../targets/load-account.ts'
import { appEnvListItem } from './app-env-fields.ts'
import { appEnv, health } from './app-env-status-fields.ts'

/** The environments that a caller may see in one account: the scope of every list, in both APIs. */
function visibleAppEnvs(caller: Caller, accountId: string): Prisma.AppEnvWhereInput {
  const visible = visibleAppEnvIds(caller, accountId)
  return { accountId, deletedAt: null, ...(visible ? { id: { in: [...visible] } } : {}) }
}

/**
 * The environments to show below accounts and apps that the caller may already see. Most callers have no restriction;
 * for them the only condition is that the environment is not deleted.
 */
export function visibleBelow(caller: Caller): Prisma.AppEnvWhereInput {
  const restrictions = [...caller.memberships.keys()].flatMap((accountId) => {
    const visible = visibleAppEnvIds(caller, accountId)
    return visible ? [{ OR: [{ accountId: { not: accountId } }, { id: { in: [...visible] } }] }] : []
  })
  return restrictions.length > 0 ? { deletedAt: null, AND: restrictions } : { deletedAt: null }
}

interface AppEnvFilter {
  accountId?: string | undefined
  appId?: string | undefined
}

const appEnvs = collection({
  model: 'AppEnv',
  orders: BY_AGE_OR_NAME,
  filters: {
    name: containing('name', 'Text in the name, in any case.'),
    status: oneOf('status', appEnvStatus, 'Statuses: only environments with one of these.'),
    health: oneOf('health', health, 'Observed states: only environments with one of these.'),
    type: oneOf((type) => ({ app: { type } }), appTypes, 'Types: only environments of apps of one of these.'),
    region: withText('regionCode', 'Code of a region: only environments there.'),
    gitBranch: withText('gitBranch', 'Git branch: only environments that are built from it.'),
    labels: labelled('environments'),
    from: since('createdAt', 'Earliest time of creation.'),
    to: until('createdAt', 'Latest time of creation.'),
  },
  async scope(database, caller, { accountId, appId }: AppEnvFilter) {
    const app = appId ? await findApp(database, caller, appId) : null
    const account = await requireAccount(
      database,
      caller,
      accountId ?? app?.accountId ?? accountOrCurrent(caller, null),
    )
    permit(caller, 'appEnv:read', { accountId: account })
    return { ...visibleAppEnvs(caller, account), ...(app ? { appId: app.id } : {}) }
  },
})

export const listAppEnvs = listQuery({
  name: 'listAppEnvs',
  path: '/app-envs',
  permission: 'appEnv:read',
  about: 'The environments of an app or an account; of your current account when neither is given.',
  example: { request: { appId: exampleId('app') } },
  input: { accountId: id('account').optional(), appId: id('app').optional() },
  of: appEnv,
  answer: appEnvListItem,
  from: appEnvs,
})
