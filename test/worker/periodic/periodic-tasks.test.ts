import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { runtimeUnavailable } from '../../../src/domain/errors.ts'
import { taskPart } from '../../../src/platform/task-part.ts'
import { type PeriodicTask, PeriodicTasks } from '../../../src/worker/periodic/periodic-tasks.ts'

const log = pino({ level: 'silent' })
let stopping: AbortController
let running: Promise<unknown>

beforeEach(() => {
  vi.useFakeTimers()
  stopping = new AbortController()
})
afterEach(async () => {
  stopping.abort()
  await running
  vi.useRealTimers()
})

function start(...tasks: PeriodicTask[]) {
  const all = new PeriodicTasks(tasks, log)
  running = all.run(stopping.signal)
  return all
}

const counting = (name: string, run: () => Promise<unknown> = async () => {}) => {
  const task = {
    name,
    everySeconds: 1,
    runs: 0,
    run() {
      task.runs += 1
      return run()
    },
  }
  return task
}
const partOf = (all: PeriodicTasks) => taskPart(all.states.map((state) => ({ ...state, engine: null })))

describe('a periodic task', () => {
  test('that throws is run again, is named, and holds up no other', async () => {
    const throwing = counting('backups', async () => {
      throw new Error('no room')
    })
    const other = counting('uploads')
    const all = start(throwing, other)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(throwing.runs).toBeGreaterThan(10)
    expect(other.runs).toBeGreaterThan(10)
    const { ready, state, reason, details } = partOf(all)
    expect({ ready, state, reason }).toEqual({
      ready: false,
      state: 'TASKS_FAILING',
      reason: `backups failed ${throwing.runs} times in a row: no room`,
    })
    expect(details).toEqual([
      { name: 'backups', engine: null, lastEndedAt: expect.any(String), failures: throwing.runs, error: 'no room' },
      { name: 'uploads', engine: null, lastEndedAt: expect.any(String), failures: 0, error: null },
    ])
  })

  test('that never ends is told to, is named, is not run twice, and holds up no other', async () => {
    let signal: AbortSignal | undefined
    const hanging: PeriodicTask = {
      name: 'backups',
      everySeconds: 1,
      timeoutSeconds: 10,
      run: (given) => {
        expect(signal).toBeUndefined()
        signal = given
        return new Promise(() => {})
      },
    }
    const other = counting('uploads')
    const all = new PeriodicTasks([hanging, other], log)
    running = Promise.resolve()
    void all.run(stopping.signal)
    await vi.advanceTimersByTimeAsync(5_000)
    expect([partOf(all).ready, signal?.aborted]).toEqual([true, false])
    await vi.advanceTimersByTimeAsync(15_000)
    expect(other.runs).toBeGreaterThan(10)
    expect(signal?.reason).toEqual(new Error('did not end within 10 s'))
    expect(partOf(all)).toMatchObject({ ready: false, state: 'TASKS_FAILING', reason: 'backups does not end' })
  })

  test('that failed and succeeds is well again', async () => {
    let isBroken = true
    const task = counting('backups', async () => {
      if (isBroken) throw new Error('no room')
    })
    const all = start(task)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(partOf(all).ready).toBe(false)
    isBroken = false
    await vi.advanceTimersByTimeAsync(2_000)
    expect(all.states).toMatchObject([{ failures: 0, error: null }])
    expect(partOf(all)).toMatchObject({ ready: true, reason: null })
  })

  test('that waits for an engine has not failed: the engine is a part of its own', async () => {
    const task = counting('containers', async () => {
      throw runtimeUnavailable('does not answer')
    })
    const all = start(task)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(task.runs).toBeGreaterThan(5)
    expect(all.states).toMatchObject([{ failures: 0, error: null }])
  })

  test('is run at once when it is woken, again when it says that more is due, and then after its time', async () => {
    const left = [true, true, false]
    const task = { ...counting('statuses'), everySeconds: 60, runs: 0 }
    const all = start({
      ...task,
      run: async () => {
        task.runs += 1
        return left.shift() ?? false
      },
    })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(task.runs).toBe(0)
    all.wake('statuses')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(task.runs).toBe(3)
    await vi.advanceTimersByTimeAsync(80_000)
    expect(task.runs).toBe(4)
  })

  test('is punctual where what it measures is compared', async () => {
    const at: number[] = []
    start({
      name: 'metrics',
      everySeconds: 10,
      isPunctual: true,
      async run() {
        at.push(Math.round(performance.now()))
        await new Promise((resolve) => setTimeout(resolve, 3_000))
      },
    })
    const since = Math.round(performance.now())
    await vi.advanceTimersByTimeAsync(35_000)
    expect(at.map((time) => time - since)).toEqual([10_000, 20_000, 30_000])
  })
})

test('errors on the engine of a region, which may hold its address, are in the log alone', () => {
  const engine = { regionCode: 'eu', engine: 'tcp://10.0.0.7:2376' }
  const task = { name: 'volumes', lastEndedAt: null, error: 'connect 10.0.0.7', failures: 4, isOverdue: false, engine }
  expect(JSON.stringify(taskPart([task]))).not.toContain('10.0.0.7')
})
