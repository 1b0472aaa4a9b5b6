import { type GraphQLField, getNamedType, isObjectType } from 'graphql'

const ID = '[a-z]{2,5}_[0-9a-z]{26}'
const BY_ID = new RegExp(`^GPC:S:${ID}$`)
/** Members have no id of their own: that of the account and that of the user together name one. */
const BY_TWO_IDS = new RegExp(`^GPC:T:\\["S:${ID}","S:${ID}"\\]$`)

/**
 * Whether the cursor can be one that this connection gave. Cursors hold a value and its type, and the library hands
 * whatever a cursor says to the database client: only ids may come that far. Those of other makes are not its own,
 * and whoever reads them checks them.
 */
export function isCursorFor(connection: GraphQLField<unknown, unknown>, cursor: string): boolean {
  const text = Buffer.from(cursor, 'base64').toString('utf8')
  if (!text.startsWith('GPC:')) return true
  return (nodeTypeOf(connection) === 'Member' ? BY_TWO_IDS : BY_ID).test(text)
}

function nodeTypeOf({ type }: GraphQLField<unknown, unknown>): string | null {
  const named = getNamedType(type)
  const nodes = isObjectType(named) ? named.getFields().nodes : undefined
  return nodes ? getNamedType(nodes.type).name : null
}
