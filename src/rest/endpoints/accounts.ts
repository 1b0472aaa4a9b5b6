import { z } from 'zod'
import { accountRecord } from '../../services/account/account-queries.ts'
import { accountOrCurrent } from '../../services/kernel/caller.ts'
import { id } from '../../services/kernel/input.ts'
import { listAnswer, listOf } from '../protocol/lists.ts'
import { paging } from '../protocol/query.ts'
import { read } from '../protocol/route.ts'

const account = z
  .object({
    accountId: z.string().describe('Account id.'),
    name: z.string().describe('Account name.'),
    slug: z.string().describe('Account slug: its part of host names.'),
    isVerified: z.boolean().describe('Whether the account is verified.'),
    allowAutoScaling: z.boolean().describe('Whether its apps may scale by themselves.'),
    isCurrent: z.boolean().describe('Whether it is your currently selected account.'),
    plan: z.string().describe('Its plan.'),
  })
  .meta({ id: 'Account', description: 'An account.' })

export const createdAccount = z.object({ accountId: account.shape.accountId })

export const currentAccount = z.object({
  accountId: account.shape.accountId,
  message: z.string().describe('What was done.'),
})

export const getAccount = read({
  name: 'getAccount',
  about: 'An account; your current one when accountId is omitted.',
  query: z.strictObject({ accountId: id('account').optional() }),
  answer: account,
  isSingle: true,
  run: async ({ services, caller }, { accountId }) =>
    accountRecord(caller, await services.accounts.get(caller, accountOrCurrent(caller, accountId))),
})

export const listAccounts = read({
  name: 'listAccounts',
  about: 'The accounts that you belong to; all of them for the installation’s admin.',
  query: z.strictObject(paging),
  answer: listAnswer('accounts', account),
  run: async ({ services, caller }, slice) =>
    listOf('accounts', await services.accounts.list(caller, slice), (row) => accountRecord(caller, row)),
})

const region = z
  .object({
    region: z.string().describe('Code of the region.'),
    name: z.string().describe('Its name.'),
    functionsSupported: z.boolean().describe('Whether Functions run there.'),
    sandboxAddonReady: z.boolean().describe('Whether its sandbox add-on is ready.'),
    publicGatewayReady: z.boolean().describe('Whether its public gateway is ready.'),
  })
  .meta({ id: 'Region', description: 'Where environments run.' })

export const listRegions = read({
  name: 'listRegions',
  about: 'The regions that environments can run in.',
  query: z.strictObject({ accountId: id('account').optional() }),
  answer: z.object({ regions: z.array(region).describe('The items.') }),
  async run({ services, caller }, { accountId }) {
    const regions = await services.accounts.regions(caller, accountId)
    return { regions: regions.map(({ code, name, ...rest }) => ({ region: code, name, ...readyIn(rest) })) }
  },
})

type Readiness = Pick<z.output<typeof region>, 'functionsSupported' | 'sandboxAddonReady' | 'publicGatewayReady'>

const readyIn = ({ functionsSupported, sandboxAddonReady, publicGatewayReady }: Readiness) => ({
  functionsSupported,
  sandboxAddonReady,
  publicGatewayReady,
})
