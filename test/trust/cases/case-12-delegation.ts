import type { TrustCase } from '../trust-case.ts'

const HOUR_MS = 3_600_000

export const trustCase: TrustCase = {
  number: 12,
  title: 'What a token makes or revokes does not exceed it, and goes with it',
  async run(berth) {
    const full = await berth.ok('POST', '/token', { kind: 'USER', name: 'Full' })
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString()
    const asFull = { token: String(full.token) }
    const reader = { kind: 'SCOPED', name: 'Reader', scopes: ['svc:read'] }
    const read = await berth.ok('POST', '/token', { ...reader, expiresAt }, asFull)
    const asReader = { token: String(read.token) }

    const later = { ...reader, expiresAt: new Date(Date.now() + 2 * HOUR_MS).toISOString() }
    const refused = [
      await berth.rest('POST', '/token', later, asReader),
      await berth.rest('POST', '/token', { kind: 'USER', name: 'More' }, asReader),
      await berth.rest('DELETE', `/token?tokenId=${full.tokenId}`, undefined, asReader),
    ]
    if (!refused.every(({ status }) => status === 403))
      throw new Error(`Answers: ${refused.map(({ status, text }) => `${status} ${text}`).join('; ')}`)
    const child = await berth.ok('POST', '/token', reader, asReader)
    if (child.expiresAt !== expiresAt) throw new Error(`A token without an end was made: ${child.expiresAt}`)

    await berth.ok('DELETE', `/token?tokenId=${full.tokenId}`)
    const since = performance.now()
    for (const { token } of [full, read, child]) {
      const { status } = await berth.rest('GET', '/user/token', undefined, { token: String(token) })
      if (status !== 401) throw new Error(`A token answers ${status} after its maker was revoked`)
    }
    const ms = Math.round(performance.now() - since)
    return `${refused.length} grants and revocations refused; 3 of 3 tokens of a chain were dead after ${ms} ms`
  },
}
