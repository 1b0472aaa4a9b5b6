import { listOrder } from '../../../calls/order.ts'
import type { RecordOf } from '../../../calls/resource.ts'
import { AUDIT_FILTER, auditEntry, INSTALLATION_AUDIT } from '../../../services/audit/audit-entry-fields.ts'
import { builder } from '../builder.ts'
import { recordType } from '../derive/resource-fields.ts'
import { USUAL_PAGE } from '../limits/sizes.ts'
import { ListOrderEnum } from './enums.ts'
import { Node } from './node.ts'
import { connectionOf, pageRequest } from './page.ts'

const AuditEntry = recordType<RecordOf<typeof auditEntry.answer>>(auditEntry, [Node])

builder.queryField('auditLog', (t) =>
  t.connection(
    {
      type: AuditEntry,
      extensions: { pageSize: USUAL_PAGE },
      description:
        'The audit log of an account, newest first. Restricted members see what was done to their environments and to the account.',
      args: {
        accountId: t.arg.id({ description: 'Id of the account; your current one when omitted.' }),
        installation: t.arg.boolean({ description: INSTALLATION_AUDIT }),
        from: t.arg({ type: 'DateTime', description: 'Earliest time of the items.' }),
        to: t.arg({ type: 'DateTime', description: 'Latest time of the items.' }),
        action: t.arg.string({ description: AUDIT_FILTER.action }),
        actorId: t.arg.id({ description: AUDIT_FILTER.actorId }),
        targetId: t.arg.id({ description: AUDIT_FILTER.targetId }),
        orderBy: t.arg({ type: ListOrderEnum, defaultValue: 'NEWEST_FIRST', description: listOrder.description }),
      },
      async resolve(
        _root,
        { accountId, installation, from, to, action, actorId, targetId, orderBy, ...page },
        context,
      ) {
        const { services, caller } = context
        const filter = {
          accountId: accountId ?? undefined,
          installation: installation ?? undefined,
          from: from?.toISOString(),
          to: to?.toISOString(),
          action: action ?? undefined,
          actorId: actorId ?? undefined,
          targetId: targetId ?? undefined,
          orderBy: orderBy ?? undefined,
        }
        const found = await services.accounts.audit(caller, filter, pageRequest(page, USUAL_PAGE))
        return connectionOf(found, ({ sequence }) => String(sequence), page.after)
      },
    },
    { name: 'AuditEntryConnection' },
    { name: 'AuditEntryEdge' },
  ),
)
