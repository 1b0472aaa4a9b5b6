import { type GraphQLField, getNamedType, isObjectType } from 'graphql'

const ID = '[a-z]{2,5}_[0-9a-z]{26}'
const BY_ID = new RegExp(`^GPC:S:${ID}$`)
/** Members have no id: the ids of the account and the user together name one. */
const BY_TWO_IDS = new RegExp(`^GPC:T:\\["S:${ID}","S:${ID}"\\]$`)

/**
 * Whether this connection can have issued the cursor. Cursors hold a value and its type, and the library passes any of
 * them to the database client, so only ids are let through. Other kinds of cursor are checked by the code that reads
 * them.
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
