import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, json, text, time, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { AuditChange } from '../../domain/audit-change.ts'
import type { AuditEntry } from '../../storage/database/generated/prisma/client.ts'
import type { NewAuditEntry } from '../../storage/events/audit-hash.ts'

export type AuditRow = Omit<AuditEntry, 'eventSequenceId' | 'hashVersion' | 'actorType'> &
  Pick<NewAuditEntry, 'actorType'>

export const actorType = enumeration('ActorType', 'Kind of actor of a write.', {
  USER: 'A user, or an application for one.',
  TOKEN: 'A token of an environment, or an invitation.',
  SYSTEM: 'Berth itself, without a caller.',
})

const field = fieldsOf<AuditRow>()

export const INSTALLATION_AUDIT =
  'The entries about the installation itself, such as new accounts, in place of an account’s. For the installation’s admin.'

export const AUDIT_FILTER = {
  action: 'Only what was done under this name, such as updateApp.',
  actorId: 'Only what this actor did.',
  targetId: 'Only what was done to the thing with this id.',
} as const

type Details = AuditEntry['details']
const recorded = (details: Details) => details as Readonly<Record<string, unknown>>

/** Kept with the details, which every hash covers. */
const addressIn = (details: Details) => (recorded(details).address as string | undefined) ?? null

/** What has a field of its own. */
function withoutFields(details: Details): Record<string, unknown> {
  const { address: _address, fieldChanges: _changes, fieldChangesLeftOut: _leftOut, ...rest } = recorded(details)
  return rest
}

const changed = fieldsOf<AuditChange>()

const auditChange = resource({
  name: 'AuditChange',
  description: 'Value of one field before and after a write.',
  fields: {
    type: changed.given('type', text, 'Kind of thing that has changed, such as appEnv, variable or member.'),
    id: changed.given('id', text, 'Id of the thing that has changed; of a member, the user’s.', {
      inGraphQL: { type: 'String' },
    }),
    name: changed.given('name', text.nullable(), 'Name of the thing that has changed, where it has one.'),
    appEnvId: changed.given('appEnvId', text.nullable(), 'Id of the environment that the thing is or belongs to.', {
      inGraphQL: { type: 'String' },
    }),
    field: changed.given('field', text, 'Field that has changed; `a.b` is the part b of the field a.'),
    before: changed.given(
      'before',
      json,
      'Value before the write; null where there was none, `***SECRET***` for a value that may be a secret.',
    ),
    after: changed.given(
      'after',
      json,
      'Value after the write; null where it was removed, `***SECRET***` for a value that may be a secret.',
    ),
  },
})

/** PostgreSQL keeps no order of their fields. */
const changesIn = (details: Details) =>
  ((recorded(details).fieldChanges as AuditChange[] | undefined) ?? []).map((change) =>
    auditChange.answer.record(change),
  )

/** The hash covers the entry before, so that a reader can check the chain. */
export const auditEntry = resource({
  name: 'AuditEntry',
  id: 'AuditEntry',
  description: 'One write, as the append-only audit log records it.',
  examples: {
    auditId: exampleId('aud'),
    sequence: 42,
    action: 'deployImage',
    actorType: 'USER',
    actorId: exampleId('usr'),
    targetType: 'appEnv',
    targetId: exampleId('env'),
    details: { image: 'nginx:alpine' },
    hash: '4ff102c5d78d254a6f0da062b3cf39eaf07f01eec0927fd21e219d0af8bc0591',
  },
  fields: {
    auditId: field.column('id', text, 'Id of the entry.', { inGraphQL: { name: 'id' } }),
    sequence: field.from(
      { sequence: true },
      whole,
      'Number of the entry in the account’s log, without gaps.',
      ({ sequence }: AuditRow) => Number(sequence),
    ),
    action: field.column('action', text, 'Name of the write: the mutation or operationId.'),
    actorType: field.column('actorType', actorType.type, 'Kind of actor.'),
    actorId: field.column('actorId', text.nullable(), 'Id of the actor.'),
    tokenId: field.column('tokenId', text.nullable(), 'Id of the token that the actor used.'),
    targetType: field.column('targetType', text, 'Kind of thing that was acted on.'),
    targetId: field.column('targetId', text, 'Id of the thing that was acted on.'),
    requestId: field.column('requestId', text, 'Id of the request of the write.', {
      inGraphQL: { type: 'String' },
    }),
    address: field.from(
      { details: true },
      text.nullable(),
      'Address of the client that sent the write; null for writes of Berth itself.',
      ({ details }: AuditRow) => addressIn(details),
    ),
    details: field.from(
      { details: true },
      z.record(z.string(), z.unknown()),
      'Input and changes of the write, without secrets.',
      ({ details }: AuditRow) => withoutFields(details),
    ),
    changes: field.from(
      { details: true },
      z.array(auditChange.answer.type),
      'Fields that the write has changed, with their values before and after: at most 100, and 32,768 characters.',
      ({ details }: AuditRow) => changesIn(details),
    ),
    changesLeftOut: field.from(
      { details: true },
      whole,
      'Number of changes beyond those that are listed.',
      ({ details }: AuditRow) => (recorded(details).fieldChangesLeftOut as number | undefined) ?? 0,
    ),
    hash: field.column('hash', text, 'SHA-256 over the entry, its time included, and the hash of the entry before.'),
    createdAt: field.column('createdAt', time, 'Time at which the write was committed.'),
  },
})
