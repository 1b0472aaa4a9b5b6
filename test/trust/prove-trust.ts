// npm run prove -- trust [--only 3,8 | --neighbour [--quiet 60 --rounds 4] | --minutes 20 [--seed 7]]
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { proveDrawnCalls } from './drawn-calls.ts'
import { startFreshBerth } from './fresh-berth.ts'
import { proveNeighbour } from './neighbour.ts'
import type { TrustCase } from './trust-case.ts'

const CASES = join(import.meta.dirname, 'cases')
const TOTAL = 23

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    neighbour: { type: 'boolean', default: false },
    quiet: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '4' },
    minutes: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
if (values.minutes) {
  const holds = await proveDrawnCalls({ minutes: Number(values.minutes), seed: Number(values.seed) })
  process.exit(holds ? 0 : 1)
}
if (values.neighbour) {
  const holds = await proveNeighbour(await loadCases(), {
    quietSeconds: Number(values.quiet),
    rounds: Number(values.rounds),
  })
  process.exit(holds ? 0 : 1)
}
const only = values.only?.split(',').map(Number)
const cases = (await loadCases()).filter(({ number }) => !only || only.includes(number))

let held = 0
for (const settings of new Set(cases.map((one) => JSON.stringify(one.settings ?? {})))) {
  const { berth, close } = await startFreshBerth(JSON.parse(settings))
  try {
    for (const one of cases.filter((one) => JSON.stringify(one.settings ?? {}) === settings)) {
      const since = performance.now()
      const [mark, figure] = await one.run(berth).then(
        (figure) => ['✓', figure],
        (error: Error) => ['✗', error.message],
      )
      if (mark === '✓') held += 1
      console.log(`${mark} ${one.number} ${one.title}: ${figure} (${Math.round(performance.now() - since)} ms)`)
    }
  } finally {
    await close()
  }
}
const wanted = only?.length ?? TOTAL
console.log(`${held} of ${wanted} hold`)
process.exitCode = held === wanted ? 0 : 1

/** Each file of `cases/` exports one case as `trustCase`. */
async function loadCases(): Promise<TrustCase[]> {
  const files = readdirSync(CASES).filter((name) => name.endsWith('.ts'))
  const cases = await Promise.all(files.map(async (name) => (await import(join(CASES, name))).trustCase as TrustCase))
  return cases.sort((a, b) => a.number - b.number)
}
