import type { Services } from '../../services/services.ts'
import { builder } from '../builder.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { connectionOf, pageRequest } from './page.ts'

type Entry = Awaited<ReturnType<Services['accounts']['audit']>>['rows'][number]

/** A connection's nodes have an `id`; REST calls it auditId. */
const asAuditEntry = (entry: Entry) => ({ ...entry, id: entry.auditId })

const AuditEntry = builder.objectRef<ReturnType<typeof asAuditEntry>>('AuditEntry').implement({
  description: 'One write: who did what to what. Each entry’s hash covers the one before it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    sequence: t.exposeInt('sequence', { description: 'Its number in the account’s log, without gaps.' }),
    action: t.exposeString('action', { description: 'What was done: the name of the mutation.' }),
    actorType: t.exposeString('actorType', { description: 'USER, TOKEN or SYSTEM.' }),
    actorId: t.exposeID('actorId', { nullable: true, description: 'Who did it.' }),
    tokenId: t.exposeID('tokenId', { nullable: true, description: 'By which token.' }),
    targetType: t.exposeString('targetType', { description: 'What kind of thing it was done to.' }),
    targetId: t.exposeID('targetId', { description: 'Id of that thing.' }),
    requestId: t.exposeString('requestId', { description: 'Id of the request.' }),
    details: t.expose('details', {
      type: 'JSON',
      nullable: true,
      description: 'What was asked and changed; never a secret.',
    }),
    hash: t.exposeString('hash', { description: 'Covers this entry and the hash of the one before it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was done.' }),
  }),
})

builder.queryField('auditLog', (t) =>
  t.connection({
    type: AuditEntry,
    extensions: { pageSize: ROOT_PAGE },
    description:
      'What was done in an account, oldest first. Restricted members see what was done to their environments and to the account.',
    args: {
      accountId: t.arg.id({ description: 'Id of the account; your current one when omitted.' }),
      from: t.arg({ type: 'DateTime', description: 'No earlier than this.' }),
      to: t.arg({ type: 'DateTime', description: 'No later than this.' }),
    },
    async resolve(_root, { accountId, from, to, ...page }, { services, caller }) {
      const filter = { accountId: accountId ?? undefined, from: from?.toISOString(), to: to?.toISOString() }
      const found = await services.accounts.audit(caller, filter, pageRequest(page, ROOT_PAGE))
      return connectionOf(
        { ...found, rows: found.rows.map(asAuditEntry) },
        ({ sequence }) => String(sequence),
        page.after,
      )
    },
  }),
)
