import { invalidField } from '../../../domain/errors.ts'
import { builder } from '../builder.ts'
import { findById, nullWhenHidden } from '../derive/edges.ts'
import { MAX_NODES } from '../limits/sizes.ts'

export interface NodeShape {
  id: string
}

/** Ids are the same opaque strings in both APIs (contract §1), so nothing is encoded. */
export const Node = builder.interfaceRef<NodeShape>('Node').implement({
  description: 'An object with an id.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'Id of the object, the same string as in REST.' }) }),
})

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'An object of any type, by its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of any object.' }) },
    resolve: (_root, { id }, context, info) => findById(context, info, id),
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description: `Objects of any type, by their ids, at most ${MAX_NODES}; null in place of one that is gone or hidden from you.`,
    args: { ids: t.arg.idList({ required: true, description: 'Ids of any objects.' }) },
    resolve(_root, { ids }, context, info) {
      if (ids.length > MAX_NODES) throw invalidField('ids', `must be at most ${MAX_NODES} ids, not ${ids.length}`)
      return Promise.all(ids.map((id) => findById(context, info, id).catch(nullWhenHidden)))
    },
  }),
}))
