import { z } from 'zod'
import type { AuditEntry } from '../database/generated/prisma/client.ts'
import { fieldsOf, text, time, whole } from './field.ts'
import { resource } from './resource.ts'

export type AuditRow = Omit<AuditEntry, 'eventSequenceId' | 'hashVersion'>

const field = fieldsOf<AuditRow>()

export const INSTALLATION_AUDIT =
  'The entries about the installation itself, such as new accounts, in place of an account’s. For the installation’s admin.'

/** The hash covers the entry before, so that a reader can check the chain. */
export const auditEntry = resource({
  name: 'AuditEntry',
  id: 'AuditEntry',
  description: 'One write, as the append-only audit log records it.',
  fields: {
    auditId: field.column('id', text, 'Id of the entry.', { inGraphQL: { name: 'id' } }),
    sequence: field.from(
      { sequence: true },
      whole,
      'Number of the entry in the account’s log, without gaps.',
      ({ sequence }: AuditRow) => Number(sequence),
    ),
    action: field.column('action', text, 'What was done: the name of the mutation or operationId.'),
    actorType: field.column('actorType', text, 'Kind of actor: USER, TOKEN or SYSTEM.'),
    actorId: field.column('actorId', text.nullable(), 'Id of the actor.'),
    tokenId: field.column('tokenId', text.nullable(), 'Id of the token that the actor used.'),
    targetType: field.column('targetType', text, 'Kind of thing that was acted on.'),
    targetId: field.column('targetId', text, 'Id of the thing that was acted on.'),
    requestId: field.column('requestId', text, 'Id of the request that asked for the write.', {
      inGraphQL: { type: 'String' },
    }),
    details: field.json('details', z.record(z.string(), z.unknown()), 'What was asked and changed, without secrets.'),
    hash: field.column('hash', text, 'SHA-256 over the entry, its time included, and the hash of the entry before.'),
    createdAt: field.column('createdAt', time, 'Time at which the write was committed.'),
  },
})
