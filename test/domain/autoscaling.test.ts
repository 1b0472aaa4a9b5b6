import { describe, expect, test } from 'vitest'
import { type AutoScaling, decideScaling, type LoadSample } from '../../src/domain/autoscaling.ts'

const SCALING: AutoScaling = {
  enabled: true,
  min: 1,
  max: 5,
  cpuPercent: 70,
  upWindowSeconds: 60,
  downWindowSeconds: 300,
}
const NOW = new Date('2026-11-21T12:00:00Z')
const BEAT = 15

/** A sample every interval up to now, over so many seconds. */
const load = (seconds: number, cpuPercent: number, memoryPercent = 10): LoadSample[] =>
  Array.from({ length: Math.floor(seconds / BEAT) + 1 }, (_, n) => {
    return { at: new Date(NOW.getTime() - seconds * 1000 + n * BEAT * 1000), cpuPercent, memoryPercent }
  })

const decide = (containers: number, samples: LoadSample[], change: Partial<AutoScaling> = {}) =>
  decideScaling({ ...SCALING, ...change }, { containers, samples, now: NOW, beatSeconds: BEAT })

describe('the number of containers', () => {
  test('grows to bring the load back to the target, once it was above for the whole window', () => {
    expect(decide(2, load(60, 95))).toEqual({ containers: 3, why: 'processor at 95 %, above 70 % for 60 s' })
    expect(decide(3, load(60, 140))?.containers).toBe(5)
    expect(decide(2, load(20, 95))).toBeNull()
    expect(decide(2, [...load(60, 95).slice(0, -1), { at: NOW, cpuPercent: 60, memoryPercent: 10 }])).toBeNull()
    expect(decide(5, load(60, 95))).toBeNull()
  })

  test('follows memory if it has a target', () => {
    expect(decide(2, load(60, 50, 90))).toBeNull()
    expect(decide(2, load(60, 50, 90), { memoryPercent: 80 })?.why).toBe('memory at 90 %, above 80 % for 60 s')
  })

  test('shrinks by one when one fewer would have been enough for the whole window', () => {
    expect(decide(3, load(300, 20))?.containers).toBe(2)
    expect(decide(3, load(200, 20))).toBeNull()
    expect(decide(3, load(300, 50))).toBeNull()
    expect(decide(3, load(300, 20, 79), { memoryPercent: 80 })).toBeNull()
    expect(decide(1, load(300, 0))).toBeNull()
  })

  test('returns within its bounds at once, and does not change without autoscaling', () => {
    expect(decide(1, [], { min: 2 })).toEqual({ containers: 2, why: 'fewer than the minimum of 2' })
    expect(decide(4, [], { max: 3 })).toEqual({ containers: 3, why: 'more than the maximum of 3' })
    expect(decide(2, load(60, 95), { enabled: false })).toBeNull()
    expect(decide(0, [], { min: 2 })).toBeNull()
  })

  test('waits for late measurements', () => {
    const old = load(60, 95).map((sample) => ({ ...sample, at: new Date(sample.at.getTime() - 120_000) }))
    expect(decide(2, old)).toBeNull()
  })
})
