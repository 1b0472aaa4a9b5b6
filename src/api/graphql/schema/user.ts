import { ORDER } from '../../../calls/order.ts'
import type { RecordOf } from '../../../calls/resource.ts'
import { notFound } from '../../../domain/errors.ts'
import { actor, user } from '../../../services/user/user-fields.ts'
import { builder } from '../builder.ts'
import { ACTOR, findableById } from '../derive/edges.ts'
import { recordType, relationOf, rowFields, rowType, rowTypeOf } from '../derive/resource-fields.ts'
import { Member } from './member.ts'
import { Node } from './node.ts'

export const User = rowType(
  user,
  builder.prismaObject('User', {
    description: user.description,
    interfaces: [Node],
    select: { id: true },
    fields: (t) => ({
      ...rowFields(t, user),
      currentAccount: t.relation('currentAccount', { nullable: true, ...relationOf(user, 'currentAccount') }),
      memberships: t.relation('memberships', {
        type: Member,
        query: { orderBy: ORDER.membershipOfUser },
        ...relationOf(user, 'memberships'),
      }),
    }),
  }),
)

const Actor = recordType<RecordOf<typeof actor.answer>>(actor)

findableById(ACTOR, {
  typeName: 'Actor',
  type: () => Actor as never,
  async load({ services, caller }, id) {
    const found = await services.users.actor(caller, id)
    if (!found) throw notFound('user', id)
    return found
  },
})

// Other users are seen as members of accounts; as such they have no page of their own.
findableById('usr', {
  typeName: 'User',
  type: () => rowTypeOf(user),
  load({ services, caller }, id, queryOf) {
    if (caller.userId !== id) throw notFound('user', id)
    return services.users.self(caller, queryOf())
  },
})
