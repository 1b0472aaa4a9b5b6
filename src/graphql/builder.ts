import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type { Database } from '../database/client.ts'
import type PrismaTypes from '../database/generated/pothos-types.ts'
import { getDatamodel } from '../database/generated/pothos-types.ts'
import type { GraphQLContext } from './context.ts'
import { MAX_PAGE, NESTED_PAGE } from './limits/sizes.ts'

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
    client: ({ services }) => services.database as Database,
    dmmf: getDatamodel(),
    exposeDescriptions: false,
    maxConnectionSize: MAX_PAGE,
    defaultConnectionSize: NESTED_PAGE,
  },
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    cursorType: 'String',
    nodeTypeOptions: {},
    pageInfoTypeOptions: { description: 'Where a page lies in its list.' },
    hasNextPageFieldOptions: { description: 'Whether more follow.' },
    hasPreviousPageFieldOptions: { description: 'Whether there are any before.' },
    startCursorFieldOptions: { description: 'Cursor of the first on this page; null when the page is empty.' },
    endCursorFieldOptions: {
      description: 'Cursor of the last on this page, to send as `after`; null when the page is empty.',
    },
    firstArgOptions: { description: `How many to return from the start, at most ${MAX_PAGE}.` },
    lastArgOptions: { description: `How many to return from the end, at most ${MAX_PAGE}.` },
    afterArgOptions: { description: 'Return what follows this cursor.' },
    beforeArgOptions: { description: 'Return what comes before this cursor.' },
    edgesFieldOptions: { description: 'The page, each with its cursor.', nullable: false },
    nodeFieldOptions: { description: 'The object itself.', nullable: false },
    cursorFieldOptions: { description: 'Its place in the list.' },
    pageInfoFieldOptions: { description: 'Where this page lies in the list.' },
    nodesOnConnection: { description: 'The page without cursors.' },
    defaultConnectionTypeOptions: { description: 'One page of a list.' },
    defaultEdgeTypeOptions: { description: 'One object of a list, and its place.' },
  },
})
