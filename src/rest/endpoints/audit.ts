import { z } from 'zod'
import { AUDIT_FILTER, auditEntry, INSTALLATION_AUDIT } from '../../resources/audit-entry.ts'
import { listOrder } from '../../resources/order.ts'
import { id, instant } from '../../services/kernel/input.ts'
import { csvText } from '../protocol/csv.ts'
import { listAnswer, listOf } from '../protocol/lists.ts'
import { paging } from '../protocol/query.ts'
import { Csv, read } from '../protocol/route.ts'

const filterText = (about: string) => z.string().min(1).max(200).optional().describe(about)

export const listAudit = read({
  name: 'listAudit',
  permission: 'audit:read',
  about:
    'The audit log of an account, newest first; of your current account when accountId is omitted. Restricted members see what was done to their environments and to the account. With `format=csv`, or `Accept: text/csv`, the page as CSV; the header `Link` leads to the next.',
  query: z.strictObject({
    accountId: id('account').optional(),
    installation: z.boolean().optional().describe(INSTALLATION_AUDIT),
    from: instant('Earliest time of the items.').optional(),
    to: instant('Latest time of the items.').optional(),
    action: filterText(AUDIT_FILTER.action),
    actorId: filterText(AUDIT_FILTER.actorId),
    targetId: filterText(AUDIT_FILTER.targetId),
    orderBy: listOrder.type.default('NEWEST_FIRST').describe(listOrder.description),
    format: z.enum(['json', 'csv']).default('json').describe('Format of the answer.'),
    ...paging,
  }),
  answer: listAnswer('entries', auditEntry.answer.type),
  mayBeCsv: true,
  async run({ services, caller }, { format, limit, cursor, ...filter }) {
    const found = await services.accounts.audit(caller, filter, { limit, cursor })
    if (format === 'csv') return new Csv(csvText(COLUMNS, found.rows.map(auditEntry.answer.of)), found.nextCursor)
    return listOf('entries', found, auditEntry.answer.of)
  },
})

const COLUMNS = Object.keys(auditEntry.fields) as (keyof typeof auditEntry.fields)[]
