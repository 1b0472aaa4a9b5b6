import { accountOrCurrent, type Caller, permit, visibleAppEnvIds } from '../../calls/caller.ts'
import { exampleId } from '../../calls/examples.ts'
import { conditionsOf, type Given, oneOf, since, until, withId } from '../../calls/filters.ts'
import { id } from '../../calls/input.ts'
import { type ListOrder, listOrder } from '../../calls/order.ts'
import { DEFAULT_LIMIT, type PageRequest } from '../../calls/page.ts'
import { recordListQuery } from '../../calls/query.ts'
import type { Database } from '../../storage/database/client.ts'
import { cursorExpired, cursorOf, sequenceOf } from '../../storage/events/cursor.ts'
import { eventSequenceBounds } from '../../storage/events/event-log.ts'
import { requireAccount } from '../targets/load-account.ts'
import { event, eventType } from './event-fields.ts'

const filters = {
  type: oneOf('type', eventType, 'Kinds: only events of one of these.'),
  appId: withId('appId', 'app that the events are about'),
  appEnvId: withId('appEnvId', 'environment that the events are about'),
  operationId: withId('operationId', 'operation that the events are about'),
  from: since('createdAt', 'Earliest time of the events.'),
  to: until('createdAt', 'Latest time of the events.'),
}

interface EventFilter extends Given<typeof filters> {
  accountId?: string | undefined
  orderBy?: ListOrder | undefined
}

/** The kept events of an account. Restricted members are shown those of their environments, as they are sent them. */
async function findEvents(
  database: Database,
  caller: Caller,
  { accountId, orderBy = 'NEWEST_FIRST', ...given }: EventFilter,
  { limit = DEFAULT_LIMIT, cursor }: PageRequest,
) {
  const account = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
  permit(caller, 'account:read', { accountId: account })
  const isUp = orderBy === 'OLDEST_FIRST'
  const sequence = cursor === undefined ? null : sequenceOf(cursor)
  if (isUp && sequence !== null) await requireKept(database, account, sequence)
  const visible = visibleAppEnvIds(caller, account)
  const rows = await database.event.findMany({
    where: {
      eventSequenceId: account,
      ...(sequence === null ? {} : { sequence: isUp ? { gt: sequence } : { lt: sequence } }),
      AND: [
        ...conditionsOf(filters, given),
        ...(visible ? [{ OR: [{ appEnvId: null }, { appEnvId: { in: [...visible] } }] }] : []),
      ],
    },
    orderBy: { sequence: isUp ? 'asc' : 'desc' },
    take: limit + 1,
  })
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  return {
    rows: kept.map((row) => event.answer.record({ ...row, cursor: cursorOf(row.sequence) } as never)),
    nextCursor: last && rows.length > limit ? cursorOf(last.sequence) : null,
  }
}

/** What followed the cursor may be gone: the caller has missed something, and is refused. */
async function requireKept(database: Database, eventSequenceId: string, sequence: bigint): Promise<void> {
  const { last, expired } = await eventSequenceBounds(database, eventSequenceId)
  if (sequence < expired) throw cursorExpired(last)
}

const types = Object.fromEntries(Object.entries(filters).map(([name, { type }]) => [name, type])) as {
  [Name in keyof typeof filters]: (typeof filters)[Name]['type']
}

export const listEvents = recordListQuery({
  name: 'listEvents',
  path: '/account/events',
  permission: 'account:read',
  about:
    'What happened in an account, newest first; of your current account when accountId is omitted. A subscription continues after the cursor of an event.',
  example: { request: { accountId: exampleId('acc'), limit: 50 } },
  input: {
    accountId: id('account').optional(),
    ...types,
    orderBy: listOrder.type.default('NEWEST_FIRST').describe(listOrder.description),
  },
  of: event,
  list: ({ database, caller }, filter, page) => findEvents(database, caller, filter, page),
  cursorOf: ({ cursor }) => cursor,
})
