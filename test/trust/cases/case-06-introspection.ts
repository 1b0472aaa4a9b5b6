import { getIntrospectionQuery } from 'graphql'
import { whileOthersAsk } from '../support/hostile-source.ts'
import type { TrustCase } from '../trust-case.ts'

const MAX_BYTES = 100_000
const AT_ONCE = 8
/** Eight answers of a second each stopped everybody for as long as they took together. */
const MAX_OTHERS_MS = 1_500

const FIELDS = 'fields { name description args { name description type { name ofType { name } } } type { name } }'
const repeated = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => of(i)).join(' ')
/** Under a kilobyte each, and answered with megabytes. */
const ATTACKS = [
  `{ ${repeated(20, (i) => `s${i}: __schema { types { name description ${FIELDS} } }`)} }`,
  `{ ${repeated(25, (i) => `s${i}: __schema { ...S }`)} } fragment S on __Schema { types { ...T } } fragment T on __Type { ${FIELDS} }`,
  `{ __schema { types { ${repeated(28, (i) => `f${i}: ${FIELDS.slice(0, 26)} }`)} fields { type { fields { type { name } } } } } } }`,
]

export const trustCase: TrustCase = {
  number: 6,
  title: 'Anonymous introspection is costed, kept and limited by address',
  // An instance of its own: the budget of this address is used up afterwards.
  settings: { BERTH_ANONYMOUS_RATE_LIMIT: '600' },
  async run(berth) {
    const anonymous = (query: string) => berth.graphql(query, {}, { token: null })
    // GraphiQL asks exactly this.
    const usual = await anonymous(getIntrospectionQuery())
    if (!usual.body.data) throw new Error(`The usual introspection failed: ${usual.text}`)
    const { result: sizes, others } = await whileOthersAsk(berth, async () => {
      const found: number[] = []
      for (const [number, attack] of ATTACKS.entries()) {
        const asked = Array.from({ length: AT_ONCE }, (_, n) => anonymous(`# ${number} ${n}\n${attack}`))
        found.push(...(await Promise.all(asked)).map(({ text }) => text.length))
      }
      return found
    })
    const largest = Math.max(...sizes)
    if (largest > MAX_BYTES) throw new Error(`${ATTACKS[0]?.length} bytes were answered with ${largest}`)
    if (others.slowestMs > MAX_OTHERS_MS) throw new Error(`A request of others took ${others.slowestMs} ms`)
    // The attacker's address has used up its budget; whoever has a token there has not.
    const again = await berth.graphql(getIntrospectionQuery())
    if (again.text !== usual.text)
      throw new Error(`The usual introspection was answered with ${again.status} ${again.text}`)
    return `${ATTACKS.length * AT_ONCE} attacks answered with at most ${largest} bytes, the usual with ${usual.text.length}; others’ slowest of ${others.count} ${others.slowestMs} ms`
  },
}
