import { getIntrospectionQuery } from 'graphql'
import type { TrustCase } from '../trust-case.ts'

const MOST_BYTES = 1_000_000
/** Each level repeats the fields of many types. */
const NESTED = '{ __schema { types { fields { type { fields { type { fields { name description } } } } } } } }'

export const trustCase: TrustCase = {
  number: 6,
  title: 'Anonymous introspection is costed',
  async run(berth) {
    const { status, text } = await berth.graphql(NESTED, {}, { token: null })
    if (text.length > MOST_BYTES) throw new Error(`${NESTED.length} bytes were answered with ${text.length}`)
    // GraphiQL asks exactly this.
    const usual = await berth.graphql(getIntrospectionQuery(), {}, { token: null })
    if (!(usual.body.data as object | undefined)) throw new Error(`The usual introspection failed: ${usual.text}`)
    return `${NESTED.length} bytes answered with ${text.length} bytes and ${status}, the usual with ${usual.text.length}`
  },
}
