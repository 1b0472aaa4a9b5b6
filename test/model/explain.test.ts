import { expect, test } from 'vitest'
import { type Call, explain } from './explain.ts'
import { type Answer, type Command, FRESH } from './model.ts'

const call = (by: number, command: Command, answer: Answer, [calledAt, answeredAt]: [number, number]): Call => ({
  by,
  command,
  answer,
  calledAt,
  answeredAt,
  expected: null,
})
const deploy: Command = { name: 'deployImage', image: 'sound' }
const read: Command = { name: 'read', whole: false }
const running = (state: { status: string }) => state.status === 'RUNNING'

test('answers of calls that overlapped are explained in whatever order fits', () => {
  const calls = [
    call(1, deploy, { version: 2 }, [0, 10]),
    call(2, deploy, { version: 1 }, [5, 15]),
    call(3, read, { status: 'RUNNING', current: 2 }, [20, 30]),
  ]
  expect(explain(FRESH, calls, running)).toBeNull()
})

test('a call that was answered before another was made comes before it', () => {
  const calls = [call(1, deploy, { version: 2 }, [0, 10]), call(2, deploy, { version: 1 }, [11, 15])]
  expect(explain(FRESH, calls, running)).toMatchObject({ explained: 0, stuck: [{ answer: { version: 1 } }] })
})

test('an acceptance that the state forbids is not explained', () => {
  const calls = [call(1, { name: 'start' }, { status: 'UPDATING', version: 1 }, [0, 10])]
  expect(explain(FRESH, calls, () => true)).toMatchObject({
    stuck: [{ answer: { refusal: 'CONFLICT NEVER_DEPLOYED' } }],
  })
})

test('an end that no order leads to is not explained', () => {
  const calls = [call(1, deploy, { version: 1 }, [0, 10])]
  expect(explain(FRESH, calls, ({ status }) => status === 'STOPPED')).toMatchObject({ explained: 1 })
})

test('half of a reading from before and half from after is not explained', () => {
  const calls = [
    call(1, deploy, { version: 1 }, [0, 10]),
    call(2, { name: 'read', whole: true }, { status: 'PENDING', latest: 'QUEUED' }, [0, 10]),
  ]
  expect(explain(FRESH, calls, running)).toMatchObject({ explained: 1 })
})
