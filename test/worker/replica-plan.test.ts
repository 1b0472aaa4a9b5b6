import { describe, expect, test } from 'vitest'
import type { ObservedReplica } from '../../src/engines/runtime/container-runtime.ts'
import { type DesiredReplicas, planReplicas, type RecordedReplica } from '../../src/worker/reconcile/replica-plan.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const later = new Date(NOW.getTime() + 5_000)
const earlier = new Date(NOW.getTime() - 1)

const desired = (replicas: number, upcoming: DesiredReplicas['upcoming'] = null): DesiredReplicas => ({
  rolloutId: 'now',
  replicas,
  upcoming,
})

const container = (rolloutId: string, index: number, phase: ObservedReplica['phase'] = 'running') =>
  ({ rolloutId, index, phase, name: `${rolloutId}-${index}`, containerId: `${rolloutId}-${index}` }) as ObservedReplica

const row = (
  rolloutId: string,
  index: number,
  state: RecordedReplica['state'] = 'READY',
  drainUntil: Date | null = null,
) => ({
  name: `${rolloutId}-${index}`,
  rolloutId,
  index,
  state,
  drainUntil,
})

const named = (items: readonly { rolloutId: string; index: number }[]) =>
  items.map((item) => `${item.rolloutId}-${item.index}`)

function plan(wanted: DesiredReplicas, rows: RecordedReplica[], containers: ObservedReplica[]) {
  const { needsApply, surplus, outdated, gone } = planReplicas(wanted, rows, containers, NOW)
  return { needsApply, surplus: named(surplus), outdated: named(outdated), gone: named(gone) }
}

const NOTHING = { needsApply: false, surplus: [], outdated: [], gone: [] }

test('a container that ended as soon as it was started waits, where the engine restarts none', () => {
  const ended = (ranMs: number, agoMs: number) => {
    const finishedAt = new Date(NOW.getTime() - agoMs)
    return { ...container('now', 0, 'exited'), finishedAt, startedAt: new Date(finishedAt.getTime() - ranMs) }
  }
  const isStarted = (one: ObservedReplica, engineRestarts: boolean) =>
    planReplicas({ ...desired(1), engineRestarts }, [], [one], NOW).needsApply
  expect(isStarted(ended(500, 1_000), false)).toBe(false)
  expect(isStarted(ended(500, 10_000), false)).toBe(true)
  expect(isStarted(ended(60_000, 1_000), false)).toBe(true)
  expect(isStarted(ended(500, 1_000), true)).toBe(true)
})

describe('a plan', () => {
  test('is empty when what runs is what should', () => {
    expect(plan(desired(2), [row('now', 0), row('now', 1)], [container('now', 0), container('now', 1)])).toEqual(
      NOTHING,
    )
    expect(plan(desired(0), [], [])).toEqual(NOTHING)
  })

  test.each(['created', 'exited', 'dead', 'paused'] as const)('brings back a container that is %s', (phase) => {
    expect(plan(desired(1), [row('now', 0)], [container('now', 0, phase)])).toEqual({ ...NOTHING, needsApply: true })
  })

  test('brings back a container that is missing, and leaves one that restarts to the engine', () => {
    expect(plan(desired(1), [row('now', 0)], [])).toEqual({ ...NOTHING, needsApply: true })
    expect(plan(desired(1), [row('now', 0)], [container('now', 0, 'restarting')])).toEqual(NOTHING)
  })

  test('leaves a draining container alone until its time, then removes it', () => {
    const containers = [container('now', 0), container('old', 0)]
    expect(plan(desired(1), [row('now', 0), row('old', 0, 'DRAINING', later)], containers)).toEqual(NOTHING)
    expect(plan(desired(1), [row('now', 0), row('old', 0, 'DRAINING', earlier)], containers)).toEqual({
      ...NOTHING,
      surplus: ['old-0'],
      gone: ['old-0'],
    })
  })

  test('drops a draining row whose container is gone', () => {
    const rows = [row('now', 0), row('old', 0, 'DRAINING', later)]
    expect(plan(desired(1), rows, [container('now', 0)])).toEqual({ ...NOTHING, gone: ['old-0'] })
  })

  test('drains what still takes traffic and should not', () => {
    const rows = [row('now', 0), row('now', 1), row('old', 0)]
    const containers = [container('now', 0), container('now', 1), container('old', 0)]
    expect(plan(desired(1), rows, containers)).toEqual({ ...NOTHING, outdated: ['now-1', 'old-0'] })
  })

  test('removes a container that belongs to nothing, but not what an open operation is bringing about', () => {
    const containers = [container('now', 0), container('next', 0), container('stray', 0)]
    const upcoming = { rolloutId: 'next', replicas: Number.POSITIVE_INFINITY }
    expect(plan(desired(1, upcoming), [row('now', 0)], containers)).toEqual({ ...NOTHING, surplus: ['stray-0'] })
    expect(plan(desired(1), [row('now', 0)], containers)).toEqual({ ...NOTHING, surplus: ['next-0', 'stray-0'] })
  })

  test('spares the replicas that scaling adds to the rollout that serves', () => {
    const containers = [container('now', 0), container('now', 1), container('now', 2)]
    expect(plan(desired(1, { rolloutId: 'now', replicas: 2 }), [row('now', 0)], containers)).toEqual({
      ...NOTHING,
      surplus: ['now-2'],
    })
  })

  test('of an environment that is stopped or deleted removes everything, draining or not', () => {
    const rows = [row('now', 0), row('old', 0, 'DRAINING', later)]
    const stopped = { rolloutId: null, replicas: 0, upcoming: null }
    expect(plan(stopped, rows, [container('now', 0), container('old', 0)])).toEqual({
      ...NOTHING,
      surplus: ['now-0', 'old-0'],
      gone: ['now-0', 'old-0'],
    })
  })
})
