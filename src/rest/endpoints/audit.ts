import { z } from 'zod'
import { id, instant } from '../../services/kernel/input.ts'
import { listAnswer, listOf } from '../protocol/lists.ts'
import { paging } from '../protocol/query.ts'
import { read } from '../protocol/route.ts'

const text = (about: string) => z.string().nullable().describe(about)

const entry = z
  .object({
    auditId: z.string().describe('Id of the entry.'),
    sequence: z.int().describe('Its number in the account’s log, without gaps.'),
    action: z.string().describe('What was done.'),
    actorType: z.string().describe('USER, TOKEN or SYSTEM.'),
    actorId: text('Who did it.'),
    tokenId: text('The token it was done with.'),
    targetType: z.string().describe('What it was done to.'),
    targetId: z.string().describe('Its id.'),
    requestId: z.string().describe('The request that asked for it.'),
    details: z.unknown().describe('What was asked and changed, without secrets.'),
    hash: z.string().describe('SHA-256 over this entry and the hash of the one before.'),
    createdAt: z.iso.datetime().describe('When.'),
  })
  .meta({ id: 'AuditEntry', description: 'One change, as the append-only log holds it.' })

export const listAudit = read({
  name: 'listAudit',
  about:
    'The audit log of an account, oldest first; of your current account when accountId is omitted. Restricted members see what was done to their environments and to the account.',
  query: z.strictObject({
    accountId: id('account').optional(),
    from: instant('No earlier than this.').optional(),
    to: instant('No later than this.').optional(),
    ...paging,
  }),
  answer: listAnswer('entries', entry),
  async run({ services, caller }, { accountId, from, to, ...slice }) {
    return listOf('entries', await services.accounts.audit(caller, { accountId, from, to }, slice), (row) => row)
  },
})
