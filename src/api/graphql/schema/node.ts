import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import { DomainError, invalidField, notFound } from '../../../domain/errors.ts'
import { type IdPrefix, prefixOf } from '../../../domain/ids.ts'
import { builder } from '../builder.ts'
import type { GraphQLContext } from '../context.ts'
import { MAX_NODES } from '../limits/sizes.ts'

export interface NodeShape {
  id: string
}

/** Ids are the same opaque strings in both APIs (contract §1), so nothing is encoded. */
export const Node = builder.interfaceRef<NodeShape>('Node').implement({
  description: 'An object with an id.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'Id of the object, the same string as in REST.' }) }),
})

/** `queryOf` returns the selection of a row; only things that are rows have one. */
type Load = (context: GraphQLContext, id: string, queryOf: () => object) => Promise<object>

const kinds = new Map<IdPrefix, { typeName: string; load: Load }>()

/** Says how `node(id:)` finds what has ids of this prefix. `load` checks that the caller may see it. */
export function findableAsNode(prefix: IdPrefix, typeName: string, load: Load): void {
  kinds.set(prefix, { typeName, load })
}

builder.queryField('node', (t) =>
  t.field({
    type: Node,
    nullable: true,
    description: 'An object of any type, by its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of any object.' }) },
    resolve: (_root, { id }, context, info) => loadNode(context, info, id),
  }),
)

builder.queryField('nodes', (t) =>
  t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description: `Objects of any type, by their ids, at most ${MAX_NODES}; null in place of one that is gone or hidden from you.`,
    args: { ids: t.arg.idList({ required: true, description: 'Ids of any objects.' }) },
    resolve(_root, { ids }, context, info) {
      if (ids.length > MAX_NODES) throw invalidField('ids', `must be at most ${MAX_NODES} ids, not ${ids.length}`)
      return Promise.all(ids.map((id) => loadNode(context, info, id).catch(nullWhenHidden)))
    },
  }),
)

function nullWhenHidden(error: unknown): null {
  if (error instanceof DomainError && (error.code === 'NOT_FOUND' || error.code === 'FORBIDDEN')) return null
  throw error
}

async function loadNode(context: GraphQLContext, info: GraphQLResolveInfo, id: string): Promise<NodeShape> {
  const prefix = prefixOf(id)
  const kind = prefix && kinds.get(prefix)
  if (!kind) throw notFound('object', id)
  const queryOf = () => queryFromInfo({ context, info, typeName: kind.typeName })
  return { ...(await kind.load(context, id, queryOf)), id, __typename: kind.typeName } as NodeShape
}
