import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TrustCase } from '../trust-case.ts'

const SOURCE = join(import.meta.dirname, '../../../src')
const MOST_MS = 5_000
/** What compares times that were recorded by a wall clock, and so must ask one. */
const WALL_CLOCK = [
  'authenticate.ts',
  'github-app.ts',
  'registry-check.ts',
  'sweep-images.ts',
  'sweep-uploads.ts',
  'watch.ts',
]

export const trustCase: TrustCase = {
  number: 20,
  title: 'A revoked token ends by the monotonic clock, which nobody sets',
  async run({ ok, rest }) {
    const token = { kind: 'SCOPED', name: 'short', scopes: ['svc:read'] }
    const created = (await ok('POST', '/token', token)) as { token: string; tokenId: string }
    await ok('GET', '/accounts', undefined, { token: created.token })
    await ok('DELETE', `/token?tokenId=${created.tokenId}`)
    const since = performance.now()
    while ((await rest('GET', '/accounts', undefined, { token: created.token })).status !== 401) {
      if (performance.now() - since > MOST_MS) throw new Error(`A revoked token was valid for ${MOST_MS} ms`)
    }
    const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    const users = files.filter(
      (name) => !name.includes('generated') && /\bDate\.now\(\)/.test(readFileSync(join(SOURCE, name), 'utf8')),
    )
    const unexpected = users.filter((name) => !WALL_CLOCK.some((known) => name.endsWith(`/${known}`)))
    if (unexpected.length > 0) throw new Error(`The wall clock is read in ${unexpected.join(', ')}`)
    return `a revoked token refused after ${Math.round(performance.now() - since)} ms; ${users.length} files read the wall clock, all to compare recorded times`
  },
}
