import { wallClockReaders } from '../../structure/wall-clock.ts'
import type { TrustCase } from '../trust-case.ts'

const MAX_MS = 5_000

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
      if (performance.now() - since > MAX_MS) throw new Error(`A revoked token was valid for ${MAX_MS} ms`)
    }
    const { count, unlisted } = wallClockReaders()
    if (unlisted.length > 0) throw new Error(`The wall clock is read in ${unlisted.join(', ')}`)
    return `a revoked token refused after ${Math.round(performance.now() - since)} ms; ${count} files read the wall clock, all to compare recorded times`
  },
}
