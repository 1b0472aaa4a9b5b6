import { z } from 'zod'
import { auditEntry, INSTALLATION_AUDIT } from '../../resources/audit-entry.ts'
import { id, instant } from '../../services/kernel/input.ts'
import { getList } from '../protocol/resource-reads.ts'

export const listAudit = getList({
  name: 'listAudit',
  permission: 'audit:read',
  about:
    'The audit log of an account, oldest first; of your current account when accountId is omitted. Restricted members see what was done to their environments and to the account.',
  query: {
    accountId: id('account').optional(),
    installation: z.boolean().optional().describe(INSTALLATION_AUDIT),
    from: instant('Earliest time of the items.').optional(),
    to: instant('Latest time of the items.').optional(),
  },
  items: 'entries',
  answer: auditEntry.answer,
  find: ({ services, caller }, filter, page) => services.accounts.audit(caller, filter, page),
  show: auditEntry.answer.of,
})
