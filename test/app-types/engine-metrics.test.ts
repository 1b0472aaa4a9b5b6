import { describe, expect, test } from 'vitest'
import {
  megabytes,
  missedPercent,
  perSecond,
  readingOf,
  reported,
  sharePercent,
} from '../../src/app-types/engines/engine-metrics.ts'
import { ENGINES } from '../../src/app-types/engines/list.ts'
import { containerMetrics, requestMetrics, trafficMetrics } from '../../src/services/metric/metric-fields.ts'

const values = (printed: string) => ({ ...readingOf(printed, 0).values })

describe('what a metrics command prints', () => {
  test('is read as names and numbers, whatever stands between them', () => {
    expect(values('connections 5\nThreads_connected\t7\nused_memory:1024\r\nlag=0.25\nsize 1e+06\ndebt -3')).toEqual({
      connections: 5,
      Threads_connected: 7,
      used_memory: 1024,
      lag: 0.25,
      size: 1_000_000,
      debt: -3,
    })
  })

  test('has its labels cut off, and equal names added up', () => {
    expect(values('messages{protocol="amqp091"} 5\nmessages{protocol="amqp10"} 7\nkeys:0\nkeys:3')).toEqual({
      messages: 12,
      keys: 3,
    })
  })

  test('is skipped where it is anything else', () => {
    const lines = [
      '# HELP a b',
      'HTTP/1.0 200 OK',
      'content-length: 12',
      'version 7.0.15',
      'name NaN',
      'big 1e300',
      'x',
    ]
    expect(values([...lines, '', 'a b 3', 'infinite Infinity', '7 7', `long ${'9'.repeat(400)}`].join('\n'))).toEqual(
      {},
    )
    expect(values('__proto__ 3\nconstructor 4')).toEqual(JSON.parse('{"__proto__":3,"constructor":4}'))
  })
})

describe('series', () => {
  const at = (seconds: number, given: Record<string, number>) => ({ atMs: seconds * 1000, values: given })

  test('are reported numbers, never below zero, or unknown', () => {
    expect(reported('a')(at(0, { a: 3 }), null)).toBe(3)
    expect(reported('a', { times: 2, plus: -1 })(at(0, { a: 3 }), null)).toBe(5)
    expect(reported('a', { plus: -1 })(at(0, { a: 0 }), null)).toBe(0)
    expect(reported('a')(at(0, {}), null)).toBeNull()
    expect(megabytes('a', 'b')(at(0, { a: 1_048_576, b: 2_097_152 }), null)).toBe(3)
    expect(megabytes('a', 'b')(at(0, { b: 2_097_152 }), null)).toBe(2)
    expect(megabytes('a', 'b')(at(0, {}), null)).toBeNull()
  })

  test('are rates between two readings, and unknown after a restart', () => {
    const rate = perSecond('a', 'b')
    expect(rate(at(10, { a: 30, b: 5 }), at(0, { a: 10, b: 5 }))).toBe(2)
    expect(rate(at(10, { a: 30, b: 5 }), null)).toBeNull()
    expect(rate(at(10, { a: 3, b: 5 }), at(0, { a: 10, b: 5 }))).toBeNull()
    expect(rate(at(10, { a: 30 }), at(0, { a: 10, b: 5 }))).toBeNull()
    expect(rate(at(0, { a: 30, b: 5 }), at(0, { a: 10, b: 5 }))).toBeNull()
  })

  test('are parts of what grew meanwhile, and unknown while nothing does', () => {
    expect(sharePercent('hits', 'misses')(at(1, { hits: 13, misses: 2 }), at(0, { hits: 10, misses: 1 }))).toBe(75)
    expect(sharePercent('hits', 'misses')(at(1, { hits: 9, misses: 1 }), at(0, { hits: 9, misses: 1 }))).toBeNull()
    expect(missedPercent('missed', 'all')(at(1, { missed: 2, all: 20 }), at(0, { missed: 1, all: 10 }))).toBe(90)
    expect(missedPercent('missed', 'all')(at(1, { missed: 9, all: 12 }), at(0, { missed: 1, all: 10 }))).toBe(0)
    expect(missedPercent('missed', 'all')(at(1, { missed: 1, all: 9 }), at(0, { missed: 1, all: 9 }))).toBeNull()
  })
})

describe('declared series', () => {
  const all = ENGINES.flatMap(({ metrics }) => metrics.series)

  test.each(ENGINES.map((engine) => [engine.name, engine] as const))('%s names each once', (_name, { metrics }) => {
    const names = metrics.series.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(expect.arrayContaining(['connections', 'disk_usage']))
    for (const { name, description } of metrics.series) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect([...containerMetrics, ...requestMetrics, ...trafficMetrics]).not.toContain(name)
      expect(description, name).toMatch(/^[A-Z][^\n]{10,140}\.$/)
    }
  })

  test('mean the same under the same name', () => {
    for (const one of all)
      for (const other of all.filter(({ name }) => name === one.name)) {
        const words = ({ unit, description, combined }: typeof one) => ({ unit, description, combined })
        expect(words(other), one.name).toEqual(words(one))
      }
  })
})
