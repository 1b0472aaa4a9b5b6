import { describe, expect, test } from 'vitest'
import {
  nextStep,
  type RequestDemand,
  type RequestScaling,
  type ScalingState,
  wantedByRequests,
} from '../../src/domain/request-scaling.ts'

const scaling: RequestScaling = { minScale: 0, maxScale: 3, concurrency: 10, idleSeconds: 60, timeoutSeconds: 30 }
const quiet: RequestDemand = { inFlight: 0, waiting: 0, peak: 0, idleSeconds: 1000 }
const busy = (inFlight: number, waiting = 0): RequestDemand => ({
  inFlight,
  waiting,
  peak: inFlight + waiting,
  idleSeconds: 0,
})
const awake: ScalingState = {
  depth: null,
  ageSeconds: 1000,
  containers: 1,
  draining: 0,
  isAcknowledged: true,
  memoryMb: 100,
  newerMb: 0,
  mayWake: true,
}
const limits = { frozenMb: 1000, frozenSeconds: 3600, stoppedSeconds: 86_400 }
const next = (demand: RequestDemand, state: Partial<ScalingState> = {}, rule: Partial<RequestScaling> = {}) =>
  nextStep({ ...scaling, ...rule }, demand, { ...awake, ...state }, limits)

describe('the number of containers', () => {
  test.each([
    [busy(0, 1), 1],
    [busy(10), 1],
    [busy(10, 1), 2],
    [busy(500), 3],
    [quiet, 0],
    [{ ...quiet, idleSeconds: 59 }, 1],
    [{ ...quiet, idleSeconds: 10, peak: 25 }, 3],
  ])('for %o is %i', (demand, containers) => {
    expect(wantedByRequests(scaling, demand)).toBe(containers)
  })

  test('never leaves its bounds', () => {
    expect(wantedByRequests({ ...scaling, minScale: 2 }, quiet)).toBe(2)
    expect(wantedByRequests({ ...scaling, minScale: 3, maxScale: 3 }, busy(1))).toBe(3)
  })
})

describe('an app that is awake', () => {
  test('stays as it is while the requests fit', () => {
    expect(next(busy(10))).toBeNull()
  })

  test('grows at once, and shrinks when nothing needed the rest for the whole time', () => {
    expect(next(busy(11))).toEqual({ kind: 'GROW', containers: 2 })
    expect(next({ ...busy(1), peak: 11 }, { containers: 2 })).toBeNull()
    expect(next(busy(1), { containers: 2 })).toEqual({ kind: 'SHRINK', containers: 1 })
    expect(next(quiet)).toEqual({ kind: 'SHRINK', containers: 0 })
  })

  test('rests a container only when every ingress has heard that it takes no requests', () => {
    const draining = { containers: 0, draining: 1 }
    expect(next(quiet, { ...draining, isAcknowledged: false })).toBeNull()
    expect(next(quiet, draining)).toEqual({ kind: 'FINISH_DRAIN' })
  })

  test('turns around when a request comes while it drains', () => {
    const step = { kind: 'GROW', containers: 1 }
    expect(next(busy(0, 1), { containers: 0, draining: 1 })).toEqual(step)
    expect(next(busy(1), { containers: 0, draining: 1 })).toEqual(step)
  })
})

describe('an app that sleeps', () => {
  const frozen = { depth: 'FROZEN', containers: 0 } as const

  test('is woken by a request that waits, and not by the memory of one', () => {
    expect(next(busy(0, 1), frozen)).toEqual({ kind: 'WAKE' })
    expect(next({ ...quiet, idleSeconds: 1 }, frozen)).toBeNull()
  })

  test('is left alone for a while after a wake that failed', () => {
    expect(next(busy(0, 1), { ...frozen, mayWake: false })).toBeNull()
  })

  test.each([
    ['FROZEN', 3599, 0, null],
    ['FROZEN', 3600, 0, 'STOPPED'],
    ['FROZEN', 1, 900, null],
    ['FROZEN', 1, 901, 'STOPPED'],
    ['STOPPED', 86_399, 5000, null],
    ['STOPPED', 86_400, 0, 'NONE'],
    ['NONE', 1_000_000, 0, null],
  ] as const)('at %s for %i s, below %i MB of others, goes to %s', (depth, ageSeconds, newerMb, deeper) => {
    const step = next(quiet, { depth, containers: 0, ageSeconds, newerMb })
    expect(step && 'depth' in step ? step.depth : null).toBe(deeper)
  })
})
