import { auditScope, getAuditEntry } from '../../services/audit/read-audit.ts'
import { builder } from '../builder.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { findableAsNode, Node } from './node.ts'

const AuditEntry = builder.prismaObject('AuditEntry', {
  description: 'One write: who did what to what. Each entry’s hash covers the one before it.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    sequence: t.string({
      description: 'Its number in the account’s log, without gaps.',
      select: { sequence: true },
      resolve: ({ sequence }) => String(sequence),
    }),
    action: t.exposeString('action', { description: 'What was done: the name of the mutation.' }),
    actorType: t.exposeString('actorType', { description: 'USER, TOKEN or SYSTEM.' }),
    actorId: t.exposeID('actorId', { nullable: true, description: 'Who did it.' }),
    tokenId: t.exposeID('tokenId', { nullable: true, description: 'By which token.' }),
    targetType: t.exposeString('targetType', { description: 'What kind of thing it was done to.' }),
    targetId: t.exposeID('targetId', { description: 'Id of that thing.' }),
    requestId: t.exposeString('requestId', { description: 'Id of the request.' }),
    details: t.expose('details', { type: 'JSON', description: 'What was asked and changed; never a secret.' }),
    hash: t.exposeString('hash', { description: 'Covers this entry and the hash of the one before it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was done.' }),
  }),
})

findableAsNode('aud', 'AuditEntry', ({ services, caller }, id, query) => getAuditEntry(services.database, caller, id, query))

builder.queryField('auditLog', (t) =>
  t.prismaConnection({
    type: AuditEntry,
    cursor: 'id',
    defaultSize: ROOT_PAGE,
    extensions: { pageSize: ROOT_PAGE },
    description: 'What was done in an account, newest first.',
    args: { accountId: t.arg.id({ description: 'Id of the account; your current one when omitted.' }) },
    resolve: async (query, _root, { accountId }, { services, caller }) => {
      const where = await auditScope(services.database, caller, accountId)
      return services.database.auditEntry.findMany({ ...query, where, orderBy: { sequence: 'desc' } })
    },
  }),
)
