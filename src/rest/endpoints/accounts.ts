import { z } from 'zod'
import { account } from '../../resources/account.ts'
import { region } from '../../resources/region.ts'
import type { RowOf } from '../../resources/resource.ts'
import { accountOrCurrent } from '../../services/kernel/caller.ts'
import { id } from '../../services/kernel/input.ts'
import { getList, getOne } from '../protocol/resource-reads.ts'
import { read } from '../protocol/route.ts'

export const getAccount = getOne({
  name: 'getAccount',
  permission: 'account:read',
  about: 'An account; your current one when accountId is omitted.',
  query: { accountId: id('account').optional() },
  answer: account.answer,
  isVersioned: true,
  find: ({ services, caller }, { accountId }, wanted) =>
    services.accounts.get(caller, accountOrCurrent(caller, accountId), wanted),
})

export const listAccounts = getList({
  name: 'listAccounts',
  permission: 'user:read',
  about: 'The accounts that you belong to; all of them for the installation’s admin.',
  query: {},
  items: 'accounts',
  answer: account.answer,
  find: ({ services, caller }, filter, page, wanted) => services.accounts.list(caller, filter, page, wanted),
})

export const listRegions = read({
  name: 'listRegions',
  permission: 'catalogue:read',
  about: 'The regions that environments can run in.',
  query: z.strictObject({ accountId: id('account').optional() }),
  answer: z.object({ regions: z.array(region.answer.type).describe('Regions of the installation.') }),
  async run({ services, caller }, { accountId }) {
    const regions = await services.accounts.regions(caller, accountId, { select: region.answer.select })
    return { regions: regions.map((row) => region.answer.record(row as unknown as RowOf<typeof region.fields>)) }
  },
})
