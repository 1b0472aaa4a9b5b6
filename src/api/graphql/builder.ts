import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import { GraphQLError } from 'graphql'
import { nestedReadsOf } from '../../calls/nested-reads.ts'
import { isoTime } from '../../domain/iso-time.ts'
import { isStorableTime, TIME_RULE } from '../../domain/times.ts'
import type PrismaTypes from '../../storage/database/generated/pothos-types.ts'
import { getDatamodel } from '../../storage/database/generated/pothos-types.ts'
import type { GraphQLContext } from './context.ts'
import { MAX_PAGE, USUAL_PAGE } from './limits/sizes.ts'

interface Types {
  PrismaTypes: PrismaTypes
  Context: GraphQLContext
  DefaultFieldNullability: false
  DefaultEdgesNullability: false
  DefaultNodeNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date | string }
    JSON: { Input: unknown; Output: unknown }
  }
}

export const builder = new SchemaBuilder<Types>({
  plugins: [RelayPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: {
    client: ({ services }) => nestedReadsOf(services),
    dmmf: getDatamodel(),
    exposeDescriptions: false,
    maxConnectionSize: MAX_PAGE,
    defaultConnectionSize: USUAL_PAGE,
  },
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    cursorType: 'String',
    nodeTypeOptions: {},
    pageInfoTypeOptions: { description: 'Position of a page in a list.' },
    hasNextPageFieldOptions: { description: 'Whether more items follow the page.' },
    hasPreviousPageFieldOptions: { description: 'Whether items precede the page.' },
    startCursorFieldOptions: { description: 'Cursor of the first item of the page; null when the page is empty.' },
    endCursorFieldOptions: {
      description: 'Cursor of the last item of the page, to send as `after`; null when the page is empty.',
    },
    firstArgOptions: {
      description: `Number of items to return from the start of the list, at most ${MAX_PAGE}; ${USUAL_PAGE} when neither \`first\` nor \`last\` is given.`,
    },
    lastArgOptions: { description: `Number of items to return from the end of the list, at most ${MAX_PAGE}.` },
    afterArgOptions: { description: 'Cursor to return items after.' },
    beforeArgOptions: { description: 'Cursor to return items before.' },
    edgesFieldOptions: { description: 'Items of the page, each with a cursor.', nullable: false },
    nodeFieldOptions: { description: 'Item of the list.', nullable: false },
    cursorFieldOptions: { description: 'Cursor of the item in the list.' },
    pageInfoFieldOptions: { description: 'Position of the page in the list.' },
    nodesOnConnection: { description: 'Items of the page, without cursors.' },
    defaultConnectionTypeOptions: { description: 'One page of a list.' },
    defaultEdgeTypeOptions: { description: 'An item of a list with its cursor.' },
  },
})

builder.scalarType('DateTime', {
  description: 'A time in ISO 8601, such as `2026-01-31T12:00:00.000Z`.',
  serialize: (value) => (value instanceof Date ? isoTime(value) : value),
  parseValue(value) {
    const time = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value) ? new Date(value) : null
    if (!time || Number.isNaN(time.getTime())) throw new GraphQLError('must be an ISO 8601 time')
    if (!isStorableTime(time.toISOString())) throw new GraphQLError(TIME_RULE)
    return time
  },
})

builder.scalarType('JSON', {
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue: (value) => value,
})
