import { describe, expect, test } from 'vitest'
import type { ObservedReplica } from '../../src/engines/runtime/container-runtime.ts'
import { isUnready, type Probed, type ReplicaRoute, routesOf } from '../../src/worker/reconcile/replica-states.ts'

const rollout = { cliEnvName: 'acme-shop-production', version: 3, rolloutId: 'op_0123456789abcdef' }

function probed(
  index: number,
  state: ReplicaRoute['state'] | null,
  fields: Partial<Probed> & { address?: string } = {},
): Probed {
  const { address = `10.0.0.${index}`, ...rest } = fields
  const observed = { containerId: `c${index}`, address, port: 3000, phase: 'running' } as ObservedReplica
  const row = state && {
    name: `r${index}`,
    index,
    containerId: `c${index}`,
    address: `10.0.0.${index}`,
    port: 3000,
    state,
  }
  return { index, row, observed, failure: null, failures: 0, ...rest }
}

const failing = (failures: number) => ({ failure: 'answered 503', failures })
const states = (...replicas: Probed[]) => routesOf(rollout, replicas).map((route) => route.state)

describe('a replica', () => {
  test('takes traffic as soon as its probe succeeds', () => {
    expect(states(probed(0, null), probed(1, 'STARTING'), probed(2, 'UNREADY'), probed(3, 'DRAINING'))).toEqual(
      Array(4).fill('READY'),
    )
  })

  test('that was ready is forgiven two failures, not three', () => {
    expect(states(probed(0, 'READY'), probed(1, 'READY', failing(2)))).toEqual(['READY', 'READY'])
    expect(states(probed(0, 'READY'), probed(1, 'READY', failing(3)))).toEqual(['READY', 'UNREADY'])
    expect(isUnready(probed(1, 'READY', failing(2)))).toBe(false)
  })

  test('that is not ready yet is forgiven none', () => {
    expect(states(probed(0, 'READY'), probed(1, 'STARTING', failing(1)), probed(2, null, failing(1)))).toEqual([
      'READY',
      'STARTING',
      'STARTING',
    ])
  })

  test('that was restarted has to prove itself again: it has another address', () => {
    const restarted = probed(1, 'READY', { ...failing(1), address: '10.0.0.99' })
    expect(routesOf(rollout, [probed(0, 'READY'), restarted])[1]).toMatchObject({
      state: 'STARTING',
      address: '10.0.0.99',
    })
  })

  test('that does not run takes none, and has no address', () => {
    const exited = { phase: 'exited', containerId: 'c0', address: null, port: null } as ObservedReplica
    expect(routesOf(rollout, [probed(0, 'READY', { observed: exited })])).toMatchObject([
      { state: 'STARTING', address: null },
    ])
    expect(routesOf(rollout, [probed(0, 'READY', { observed: null })])).toMatchObject([
      { state: 'STARTING', containerId: null },
    ])
  })
})

test('when every replica fails its probes, those that were ready go on', () => {
  const all = [probed(0, 'READY', failing(5)), probed(1, 'UNREADY', failing(9)), probed(2, 'STARTING', failing(1))]
  expect(states(...all)).toEqual(['READY', 'READY', 'STARTING'])
  expect(all.map(isUnready)).toEqual([true, true, true])
})

test('a route carries the name of the container', () => {
  expect(routesOf(rollout, [probed(1, null)])[0]?.name).toBe('berth-acme-shop-production-v3-89abcdef-1')
})
