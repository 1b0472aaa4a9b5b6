import type { FreshBerth, TrustCase } from '../trust-case.ts'

const LENGTH = 14_800
const MAX_MS = 400
const HOSTILE: readonly (readonly [name: string, value: string])[] = [
  ['Prefer', '"'.repeat(LENGTH)],
  ['Prefer', `wait=1,${'"\\'.repeat(LENGTH / 2)}`],
  ['If-None-Match', 'W/'.repeat(LENGTH / 2)],
  ['If-Match', `"v1-${'-'.repeat(LENGTH)}`],
  ['Authorization', `Bearer${' '.repeat(LENGTH)}x`],
  ['Content-Type', `application/json${'; '.repeat(LENGTH / 2)}`],
  ['X-Forwarded-For', ','.repeat(LENGTH)],
  ['X-Request-Id', 'a'.repeat(LENGTH)],
  ['Idempotency-Key', '-'.repeat(LENGTH)],
  ['Accept', 'text/'.repeat(LENGTH / 5)],
]

export const trustCase: TrustCase = {
  number: 10,
  title: 'Headers are read in linear time, and so is a document in GraphiQL',
  async run(berth) {
    let slowest = { name: 'none', ms: 0 }
    await timed(berth, {})
    for (const [name, value] of HOSTILE) {
      // The least of three: others use this machine as well.
      const ms = Math.min(await timed(berth, { [name]: value }), await timed(berth, { [name]: value }))
      if (ms > slowest.ms) slowest = { name, ms }
    }
    if (slowest.ms > MAX_MS) throw new Error(`${slowest.name} of ${LENGTH} bytes took ${slowest.ms} ms`)
    const page = await (await fetch(`${berth.url}/graphql`, { headers: { accept: 'text/html' } })).text()
    if (page.includes('(#.*\\s*)*')) throw new Error('The page reads comments with a pattern that backtracks')
    return `${HOSTILE.length} headers of ${LENGTH} bytes, the slowest ${slowest.name} ${slowest.ms} ms`
  },
}

async function timed({ rest }: FreshBerth, headers: Record<string, string>): Promise<number> {
  const since = performance.now()
  await rest('POST', '/app-env/stop', { appEnvId: 'env_unknown' }, { headers })
  return Math.round(performance.now() - since)
}
