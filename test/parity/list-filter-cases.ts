import type { z } from 'zod'
import { definitionOf, unwrapped } from '../../src/api/graphql/derive/zod-definition.ts'
import type { ListQuery } from '../../src/calls/query.ts'
import { QUERIES } from '../../src/services/catalogue.ts'
import type { Place } from './read-cases.ts'

export type Input = Record<string, unknown>
export type Item = Record<string, unknown>

/** The lists of rows, each with its filters and orders. */
export const LISTS = QUERIES.filter(
  (query): query is ListQuery<Input, Item> => query.kind === 'list' && query.count !== null,
)

/** What a list needs to name its things; the others are those of the caller's current account. */
const ADDRESSES: Readonly<Record<string, (place: Place) => Input>> = {
  listDeployments: ({ appEnvId }) => ({ appEnvId }),
  listWebhookDeliveries: ({ webhookId }) => ({ webhookId }),
}

export const addressIn = ({ name, input }: ListQuery<Input, Item>, place: Place): Input =>
  ADDRESSES[name]?.(place) ?? ('accountId' in input.shape ? { accountId: place.accountId } : {})

export interface FilterCase {
  query: ListQuery<Input, Item>
  name: string
  schema: z.ZodType
}

export const FILTERS: FilterCase[] = LISTS.flatMap((query) =>
  Object.entries(query.input.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
    ['orderBy', 'accountId', 'appId', 'userId', 'envName', 'webhookId'].includes(name) ||
    (name === 'appEnvId' && query.name !== 'listVolumes')
      ? []
      : [{ query, name, schema: unwrapped(field).schema }],
  ),
)

export const kindOf = ({ schema, name }: FilterCase): string => {
  const { type } = definitionOf(schema)
  if (name === 'labels') return 'labels'
  if (type !== 'string') return type
  if ((schema as { format?: string }).format === 'datetime') return 'time'
  return ['name', 'appName'].includes(name) ? 'part' : 'text'
}

/** A value of each kind that few things have, or none: the most that a list may have to search. */
const RARE: Readonly<Record<string, unknown>> = {
  boolean: true,
  labels: ['team=rare'],
  text: 'rare',
}

/** A part of a name is compared with each name of the account: no index of PostgreSQL's own has parts. */
const SEARCHES_ALL = new Set(['part'])

/** Each filter and each order of each list, as REST is asked. */
export function searchesOf(place: Place): { name: string; list: string; query: Record<string, string> }[] {
  return LISTS.filter(({ path }) => path !== null).flatMap((list) => {
    const address = addressIn(list, place)
    const orders = Object.values(definitionOf(unwrapped(list.input.shape.orderBy as z.ZodType).schema).entries ?? {})
    const searches = [
      ...orders.map((orderBy) => ({ orderBy })),
      ...FILTERS.filter((one) => one.query === list && !SEARCHES_ALL.has(kindOf(one))).flatMap((one) =>
        valuesOf(one).map((value) => ({ [one.name]: value })),
      ),
    ]
    return searches.map((search) => {
      const query = Object.fromEntries(
        Object.entries({ ...address, ...search }).map(([key, value]) => [key, String(value)]),
      )
      return { name: `${list.name} ${JSON.stringify(search)}`, list: list.name, query }
    })
  })
}

function valuesOf(one: FilterCase): unknown[] {
  const kind = kindOf(one)
  if (kind === 'time') return [one.name === 'to' ? '2000-01-01T00:00:00Z' : '2999-01-01T00:00:00Z']
  if (kind === 'array') return Object.values(definitionOf(definitionOf(one.schema).element as z.ZodType).entries ?? {})
  return [RARE[kind]]
}
