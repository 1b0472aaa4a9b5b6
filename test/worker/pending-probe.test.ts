import { expect, test } from 'vitest'
import type { ObservedReplica } from '../../src/engines/runtime/container-runtime.ts'
import type { Readiness } from '../../src/engines/runtime/readiness.ts'
import { PendingProbe } from '../../src/worker/probes/pending-probe.ts'

const run = (startedAt: number) =>
  ({ containerId: 'a', address: '10.0.0.2', startedAt: new Date(startedAt) }) as ObservedReplica

/** A probe that ends when the test says so, or when it is given up. */
function probe() {
  const asked: { signal: AbortSignal; answer: (readiness: Readiness) => void; fail: (error: Error) => void }[] = []
  const pending = new PendingProbe((_replica, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<Readiness>()
    signal.addEventListener('abort', () => reject(signal.reason))
    asked.push({ signal, answer: resolve, fail: reject })
    return promise
  })
  return { pending, asked }
}

const READY = { ready: true, reason: '' }

test('a probe without an answer keeps nobody waiting, and goes on', async () => {
  const { pending, asked } = probe()
  expect(await pending.answer(run(1), 1)).toBeNull()
  expect(await pending.answer(run(1), 1)).toBeNull()
  expect(asked).toHaveLength(1)
  asked[0]?.answer(READY)
  expect(await pending.answer(run(1), 60_000)).toEqual(READY)
})

test('a probe of a run that is over is given up for one of the next run', async () => {
  const { pending, asked } = probe()
  expect(await pending.answer(run(1), 1)).toBeNull()
  const second = pending.answer(run(2), 60_000)
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false])
  asked[1]?.answer(READY)
  expect(await second).toEqual(READY)
})

test('after an answer, or an error, the next question is a probe of its own', async () => {
  const { pending, asked } = probe()
  const first = pending.answer(run(1), 60_000)
  asked[0]?.answer({ ready: false, reason: 'not yet' })
  expect(await first).toEqual({ ready: false, reason: 'not yet' })
  const second = pending.answer(run(1), 60_000)
  asked[1]?.fail(new Error('no descriptors'))
  await expect(second).rejects.toThrow('no descriptors')
  expect(await pending.answer(run(1), 1)).toBeNull()
  expect(asked).toHaveLength(3)
  pending.giveUp()
})
