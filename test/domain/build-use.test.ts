import { expect, test } from 'vitest'
import { buildUseInWords, recordedBuildUse } from '../../src/domain/build-use.ts'

const MB = 1024 * 1024
const TOLD = {
  memoryPeakBytes: 312.4 * MB,
  cpuSeconds: 14.234,
  writtenBytes: 240 * MB,
  sentBytes: 1000,
  cacheBytes: 1.5 * MB,
  steps: [
    { name: '[1/2] FROM node', seconds: 0, isCached: true },
    { name: '[2/2] RUN true', seconds: 1.2345, isCached: false },
  ],
}

const asItIs = (name: string) => name

test('what a build used is recorded in MB and hundredths', () => {
  expect(recordedBuildUse(TOLD, asItIs)).toEqual({
    memoryPeakMb: 312.4,
    cpuSeconds: 14.23,
    writtenMb: 240,
    sentMb: 0,
    cacheMb: 1.5,
    steps: [
      { name: '[1/2] FROM node', seconds: 0, isCached: true },
      { name: '[2/2] RUN true', seconds: 1.23, isCached: false },
    ],
  })
})

test('names of steps are masked before they are cut, and hold no line breaks', () => {
  const name = `RUN <<END\n  login hush-${'x'.repeat(300)}`
  const { steps } = recordedBuildUse({ ...TOLD, steps: [{ name, seconds: 1, isCached: false }] }, (text) =>
    text.replace(/hush-x+/, '***'),
  )
  expect(steps).toEqual([{ name: 'RUN <<END login ***', seconds: 1, isCached: false }])
})

test('a record is bounded: 200 steps, of 200 whole characters each', () => {
  const many = Array.from({ length: 500 }, () => ({ name: '😀'.repeat(500), seconds: 1, isCached: false }))
  const { steps } = recordedBuildUse({ ...TOLD, steps: many }, asItIs)
  expect(steps).toHaveLength(200)
  expect(new Set(steps.map(({ name }) => name))).toEqual(new Set(['😀'.repeat(200)]))
})

test('one line says what a build used', () => {
  expect(buildUseInWords(TOLD, 21.34)).toBe(
    'This build used 312 MB of memory at most, 14.2 CPU seconds, wrote 240 MB; 2 steps, 1 cached, in 21.3 s',
  )
})
