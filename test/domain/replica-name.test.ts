import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replicaName } from '../../src/domain/replica-name.ts'

test('names a replica after its environment, version, rollout and index', () => {
  const rollout = { cliEnvName: 'default-shop-production', version: 12, rolloutId: 'op_01jzzzzzzzzzzzzzzz4abcdefg' }
  expect(replicaName(rollout, 3)).toBe('berth-default-shop-production-v12-4abcdefg-3')
})

test('is a DNS label that ends with the part that differs between replicas', () => {
  const rollouts = fc.record({
    cliEnvName: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,120}$/),
    version: fc.integer({ min: 1, max: 1_000_000 }),
    rolloutId: fc.stringMatching(/^op_[0-9a-z]{26}$/),
  })
  fc.assert(
    fc.property(rollouts, fc.nat(999), (rollout, index) => {
      const name = replicaName(rollout, index)
      expect(name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
      expect(name.endsWith(`-v${rollout.version}-${rollout.rolloutId.slice(-8)}-${index}`)).toBe(true)
    }),
  )
})
