import { expect, test } from 'vitest'
import { BuildReport, cacheBytesIn } from '../../../../src/engines/docker/images/own-builder/build-scripts.ts'

const MB = 1024 * 1024

function reportOf(lines: string[]): BuildReport {
  const report = new BuildReport()
  for (const line of lines) expect(report.read(`berth:${line}`)).toBe(true)
  return report
}

test.each([
  [
    'version 1',
    ['cpuBefore 500000000 ', 'cpu 2000000000 '],
    `memory ${100 * MB} cache 5 active_file 1 total_active_file ${10 * MB} total_inactive_file ${20 * MB} `,
    70,
  ],
  [
    'version 2',
    ['cpuBefore usage_usec 500000 user_usec 1 ', 'cpu usage_usec 2000000 user_usec 1 '],
    `memory ${100 * MB} anon 5 active_file ${10 * MB} inactive_file ${20 * MB} slab_reclaimable ${MB} `,
    69,
  ],
])('what a build used is read from control groups of %s', (_version, cpu, memory, heldMb) => {
  const report = reportOf([...cpu, memory])
  expect(report.cpuSeconds).toBeCloseTo(1.5)
  expect(report.memoryBytes).toBe(heldMb * MB)
})

test('a machine that shows no control groups counts as nothing used', () => {
  expect(reportOf(['cpuBefore ', 'cpu ', 'memory '])).toMatchObject({ cpuSeconds: 0, memoryBytes: 0 })
  expect(new BuildReport()).toMatchObject({ cpuSeconds: 0, memoryBytes: 0, writtenBytes: 0, hasKilled: false })
})

test.each([
  ['Total:\t1.25GB\n', 1.25e9],
  ['Total:  0B', 0],
  ['Total: 512kB', 512_000],
  ['', 0],
])('the size of the cache is read from %j', (printed, bytes) => expect(cacheBytesIn(printed)).toBe(bytes))
