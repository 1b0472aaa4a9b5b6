// npm run prove:responses [-- --seed 1 --answers 20000]
import { parseArgs } from 'node:util'
import { compareParsers } from './against-llhttp.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, answers: { type: 'string', default: '20000' } },
})
const { differing, ...counts } = await compareParsers(Number(values.seed), Number(values.answers))
console.log(`seed ${values.seed}:`, counts)
for (const one of differing.slice(0, 5)) console.log(one)
console.log(`${differing.length} answers were accepted by both and read differently`)
process.exitCode = differing.length === 0 && counts.bothAccept > 0 ? 0 : 1
