import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rotateToken } from '../../src/services/token/rotate-token.ts'
import { createToken, revokeToken } from '../../src/services/token/token-commands.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const code = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'accepted',
    (error: { code: string; reason?: string }) => error.reason ?? error.code,
  )
const isKnown = (token: string) => code(world.services.authenticate(token))

describe('a rotated token', () => {
  test('has a new secret, the same id and rights, and keeps what was made with it', async () => {
    const { token, tokenId } = await world.token({ kind: 'SCOPED', scopes: ['svc:read'] })
    const child = await world.token({ kind: 'SCOPED', scopes: ['svc:read'], as: token })
    const rotated = await world.perform(rotateToken, {}, { as: token })
    expect(rotated).toMatchObject({ tokenId, kind: 'SCOPED', scopes: ['svc:read'] })
    expect(rotated.token).not.toBe(token)
    expect(await world.services.authenticate(rotated.token)).toMatchObject({ tokenId, expiresAt: null })
    expect(await isKnown(child.token)).toBe('accepted')
  })

  test('works by its former secret for a while; what that makes ends with it', async () => {
    const { token } = await world.token()
    const { previousUntil } = await world.perform(rotateToken, { graceSeconds: 600 }, { as: token })
    const former = await world.services.authenticate(token)
    expect(former.expiresAt?.toISOString()).toBe(previousUntil)
    const made = await world.perform(createToken, { kind: 'USER', name: 'by the former secret' }, { as: token })
    expect(made.expiresAt).toBe(previousUntil)
    const endless = { kind: 'USER', name: 'longer', expiresAt: '2100-01-01T00:00:00Z' }
    expect(await code(world.perform(createToken, endless, { as: token }))).toBe('LIFETIME_BEYOND_OWN')
    expect(await code(world.perform(rotateToken, {}, { as: token }))).toBe('FORMER_SECRET')
  })

  test('is not known by its former secret when the grace is over, or the token is revoked', async () => {
    const [first, second, third] = [await world.token(), await world.token(), await world.token()]
    await world.perform(rotateToken, { graceSeconds: 0 }, { as: first.token })
    await expect.poll(() => isKnown(first.token)).toBe('UNAUTHENTICATED')
    await world.perform(rotateToken, {}, { as: second.token })
    await world.database.$executeRaw`UPDATE token SET previous_until = now() WHERE id = ${second.tokenId}`
    await expect.poll(() => isKnown(second.token)).toBe('UNAUTHENTICATED')
    await world.perform(rotateToken, {}, { as: third.token })
    await world.perform(revokeToken, { tokenId: third.tokenId })
    await expect.poll(() => isKnown(third.token)).toBe('UNAUTHENTICATED')
  })

  test('knows only the last of its former secrets', async () => {
    const { token } = await world.token()
    const second = await world.perform(rotateToken, {}, { as: token })
    await world.perform(rotateToken, {}, { as: second.token })
    expect(await isKnown(token)).toBe('UNAUTHENTICATED')
    expect(await isKnown(second.token)).toBe('accepted')
  })

  test('keeps its own end, where that comes first', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await world.token({ expiresAt })
    await world.perform(rotateToken, { graceSeconds: 600 }, { as: token })
    expect((await world.services.authenticate(token)).expiresAt?.toISOString()).toBe(expiresAt)
  })

  test('is stored as two hashes', async () => {
    const { token, tokenId } = await world.token()
    const rotated = await world.perform(rotateToken, {}, { as: token })
    const row = await world.database.token.findUniqueOrThrow({ where: { id: tokenId } })
    expect([row.hash, row.previousHash]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.any(String)])
    for (const secret of [token, rotated.token]) expect(JSON.stringify(row)).not.toContain(secret)
  })
})

test('rotating at the same time leaves one secret that everybody knows is the last', async () => {
  const parent = await world.token()
  const { tokenId } = await world.token({ as: parent.token })
  const rotate = () => world.perform(rotateToken, { tokenId }, { as: parent.token })
  const secrets = (await Promise.all([rotate(), rotate()])).map(({ token }) => token)
  expect(await Promise.all(secrets.map(isKnown))).toEqual(['accepted', 'accepted'])
  const present = await Promise.all(secrets.map((token) => world.services.authenticate(token)))
  expect(present.filter(({ expiresAt }) => expiresAt === null)).toHaveLength(1)
})
