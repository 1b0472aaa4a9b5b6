import { expect, test } from 'vitest'
import { connect } from '../../../../src/engines/docker/connection.ts'
import { ReplicaSamples } from '../../../../src/engines/docker/runtime/stats.ts'
import { fakeEngine } from '../../../support/fake-engine.ts'

const INSTALLATION = 'ins_stats'
const BYTES_PER_MB = 1024 * 1024
const NEVER = '0001-01-01T00:00:00Z'
const BEGAN = Date.parse('2026-11-26T10:00:00Z')

interface Moment {
  seconds: number
  /** Processor seconds since the container was started. */
  used: number
}

/** What an engine answers to a measure of its own, and to one sample. */
const measure = (before: Moment, now: Moment) => ({
  ...sample(now),
  preread: timeOf(before),
  precpu_stats: cpuOf(before),
})
const sample = (now: Moment) => ({
  read: timeOf(now),
  preread: NEVER,
  cpu_stats: cpuOf(now),
  precpu_stats: { cpu_usage: { total_usage: 0 } },
  memory_stats: { usage: 30 * BYTES_PER_MB, stats: { inactive_file: 10 * BYTES_PER_MB } },
})
const timeOf = ({ seconds }: Moment) => new Date(BEGAN + seconds * 1000).toISOString()
const cpuOf = ({ used }: Moment) => ({ cpu_usage: { total_usage: used * 1e9 } })
const ended = { ...sample({ seconds: 0, used: 0 }), read: NEVER, memory_stats: {} }

/** Measures a container once for each answer. */
async function measured(answers: readonly object[]) {
  const asked: string[] = []
  const left = [...answers]
  await using engine = await fakeEngine((request, { searchParams }) => {
    if (request.endsWith('/json')) {
      return {
        body: { Id: 'c1', State: { Running: true }, Config: { Labels: { 'berth.installation': INSTALLATION } } },
      }
    }
    asked.push(searchParams.get('one-shot') === 'true' ? 'one sample' : 'a measure')
    return { body: left.shift() }
  })
  const samples = new ReplicaSamples(connect({ dockerHost: engine.host, installationId: INSTALLATION }))
  const results: unknown[] = []
  while (left.length > 0) {
    results.push(await samples.stats('web', AbortSignal.timeout(5_000)).catch(({ reason }) => reason))
  }
  return { results, asked }
}

const first = measure({ seconds: 9, used: 4 }, { seconds: 10, used: 4.5 })

test('a first measure is the engine’s own, over a second', async () => {
  expect(await measured([first])).toEqual({
    results: [{ cpuMillicores: 500, memoryMb: 20 }],
    asked: ['a measure'],
  })
})

test('a later one is one sample, compared with the one before', async () => {
  const { results, asked } = await measured([first, sample({ seconds: 20, used: 6.5 })])
  expect(results[1]).toEqual({ cpuMillicores: 200, memoryMb: 20 })
  expect(asked).toEqual(['a measure', 'one sample'])
})

test.each([
  ['a few milliseconds later', { seconds: 10.004, used: 4.504 }],
  ['after more than a minute', { seconds: 80, used: 30 }],
  ['of a container that has started again', { seconds: 20, used: 0.1 }],
])('a sample %s says nothing, and the engine measures', async (_what, moment) => {
  const again = measure({ seconds: 90, used: 31 }, { seconds: 91, used: 31.3 })
  const { results, asked } = await measured([first, sample(moment), again])
  expect(results).toEqual([
    { cpuMillicores: 500, memoryMb: 20 },
    { cpuMillicores: 300, memoryMb: 20 },
  ])
  expect(asked).toEqual(['a measure', 'one sample', 'a measure'])
})

test('a measure over no time is none, rather than one of nothing', async () => {
  const { results } = await measured([sample({ seconds: 10, used: 4 })])
  expect(results).toEqual(['NOT_RUNNING'])
})

test('a container that ended while it was measured uses nothing', async () => {
  expect((await measured([ended])).results).toEqual([{ cpuMillicores: 0, memoryMb: 0 }])
})
