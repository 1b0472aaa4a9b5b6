import { app, appListItem } from '../../resources/app.ts'
import { id } from '../../services/kernel/input.ts'
import { getList, getOne } from '../protocol/resource-reads.ts'

export const getApp = getOne({
  name: 'getApp',
  permission: 'app:read',
  about: 'An app, by its id.',
  query: { appId: id('app') },
  answer: app.answer,
  isVersioned: true,
  find: ({ services, caller }, { appId }, wanted) => services.apps.get(caller, appId, wanted),
})

export const listApps = getList({
  name: 'listApps',
  permission: 'app:read',
  about: 'The apps of an account; of your current one when accountId is omitted.',
  query: { accountId: id('account').optional() },
  items: 'apps',
  answer: appListItem,
  find: ({ services, caller }, filter, page, wanted) => services.apps.list(caller, filter, page, wanted),
})
