// npm run prove -- parsers [--seed 1 --messages 20000]
import { parseArgs } from 'node:util'
import { compareRequestParsers } from './requests-against-llhttp.ts'
import { compareParsers } from './responses-against-llhttp.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, messages: { type: 'string', default: '20000' } },
})
const [seed, messages] = [Number(values.seed), Number(values.messages)]
let isSame = true
for (const [what, compare] of [
  ['requests', compareRequestParsers],
  ['answers', compareParsers],
] as const) {
  const found = await compare(seed, messages)
  const { differing, bothAccept } = found
  const counts = Object.entries(found).filter(([, value]) => typeof value === 'number')
  console.log(`seed ${seed}, ${what}:`, Object.fromEntries(counts))
  for (const one of differing.slice(0, 5)) console.log(one)
  console.log(`${differing.length} ${what} were accepted by both and read differently`)
  isSame &&= differing.length === 0 && bothAccept > 0
}
process.exitCode = isSame ? 0 : 1
