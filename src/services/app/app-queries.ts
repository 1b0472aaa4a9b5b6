import { accountOrCurrent, type Caller, permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { exampleId } from '../../calls/examples.ts'
import { containing, labelled, oneOf, since, until } from '../../calls/filters.ts'
import { id } from '../../calls/input.ts'
import { BY_AGE_OR_NAME } from '../../calls/order.ts'
import { listQuery, query } from '../../calls/query.ts'
import type { Database } from '../../storage/database/client.ts'
import { appTypes } from '../app-type/app-type-fields.ts'
import { findApp } from '../targets/find-app.ts'
import { requireAccount } from '../targets/load-account.ts'
import { app, appListItem } from './app-fields.ts'

async function readableAccount(database: Database, caller: Caller, accountId: string | undefined): Promise<string> {
  const account = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
  permit(caller, 'app:read', { accountId: account })
  return account
}

interface AppFilter {
  accountId?: string | undefined
}

export const apps = collection({
  model: 'App',
  orders: BY_AGE_OR_NAME,
  filters: {
    name: containing('name', 'Text in the name, in any case.'),
    type: oneOf('type', appTypes, 'Types: only apps of one of these.'),
    labels: labelled('apps'),
    from: since('createdAt', 'Earliest time of creation.'),
    to: until('createdAt', 'Latest time of creation.'),
  },
  scope: async (database, caller, { accountId }: AppFilter) => ({
    accountId: await readableAccount(database, caller, accountId),
    deletedAt: null,
  }),
})

export const getApp = query({
  name: 'getApp',
  path: '/app',
  permission: 'app:read',
  about: 'An app, by its id.',
  input: { appId: id('app') },
  key: { field: 'appId', prefix: 'app' },
  of: app,
  version: true,
  find: ({ database, caller }, { appId }, wanted) => findApp(database, caller, appId, wanted),
})

export const listApps = listQuery({
  name: 'listApps',
  path: '/apps',
  permission: 'app:read',
  about: 'The apps of an account; of your current one when accountId is omitted.',
  example: { request: { accountId: exampleId('acc'), limit: 20 } },
  input: { accountId: id('account').optional() },
  of: app,
  answer: appListItem,
  from: apps,
})
