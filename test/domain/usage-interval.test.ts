import { expect, test } from 'vitest'
import { followRun, type SeenRun, type UsageInterval } from '../../src/domain/usage-interval.ts'

const at = (time: string) => new Date(`2031-06-10T${time}Z`)
const OPEN = at('00:00:00')
const RUN = at('08:00:00')

const seen = (fields: Partial<SeenRun> = {}): SeenRun => ({
  kind: 'COMPUTE',
  runAt: RUN,
  finishedAt: null,
  seenAt: null,
  formerEndAt: null,
  restartCount: 0,
  ...fields,
})

const known = (fields: Partial<UsageInterval> = {}): UsageInterval => ({
  kind: 'COMPUTE',
  runAt: RUN,
  startedAt: RUN,
  until: at('08:10:00'),
  hasEnded: false,
  restartCount: 0,
  ...fields,
})

const NOTHING = { newest: null, added: [] }
const of = (newest: UsageInterval | null, fields: Partial<SeenRun>, openSince = OPEN) =>
  followRun(newest, seen(fields), openSince)

test('a run counts from the engine’s start, whenever it is first seen, to the engine’s end', () => {
  expect(of(null, {}).added).toEqual([known({ until: RUN })])
  expect(of(null, { seenAt: at('08:10:00') }).added).toEqual([known()])
  expect(of(known(), { seenAt: at('08:20:00') })).toEqual({
    newest: { until: at('08:20:00'), hasEnded: false },
    added: [],
  })
  const ended = { until: at('08:15:00'), hasEnded: true }
  expect(of(known(), { finishedAt: at('08:15:00') }).newest).toEqual(ended)
  expect(of(null, { finishedAt: at('08:15:00') }).added).toEqual([known(ended)])
  // Clocks differ: the engine's end is before the last sighting.
  expect(of(known(), { finishedAt: at('08:09:59') }).newest).toEqual({ until: at('08:09:59'), hasEnded: true })
})

test('what is said late, or again, changes nothing', () => {
  const ended = known({ hasEnded: true })
  expect(of(ended, { finishedAt: at('08:10:00') })).toEqual(NOTHING)
  expect(of(ended, { seenAt: at('08:05:00') })).toEqual(NOTHING)
  expect(of(known(), { seenAt: at('08:05:00') }).newest).toEqual({ until: at('08:10:00'), hasEnded: false })
  expect(of(known({ runAt: at('09:00:00') }), { finishedAt: at('08:10:00') })).toEqual(NOTHING)
  expect(of(known(), {})).toEqual(NOTHING)
})

test('what was taken for gone and runs counts from then on', () => {
  const again = of(known({ hasEnded: true }), { seenAt: at('08:30:00') })
  expect(again.added).toEqual([known({ startedAt: at('08:30:00'), until: at('08:30:00') })])
})

test('a run that nobody saw end counts to the end that the engine kept, if that is its own', () => {
  const restarted = { runAt: at('09:00:00'), formerEndAt: at('08:50:00') }
  const next = known({ runAt: at('09:00:00'), startedAt: at('09:00:00'), until: at('09:00:00') })
  expect(of(known(), { ...restarted, restartCount: 1 })).toEqual({
    newest: { until: at('08:50:00'), hasEnded: true },
    added: [{ ...next, restartCount: 1 }],
  })
  // More runs came in between: it is the end of another one.
  expect(of(known(), { ...restarted, restartCount: 2 }).newest).toEqual({ until: at('08:10:00'), hasEnded: true })
})

test('two runs never overlap, whatever the clocks say', () => {
  const { newest, added } = of(known(), { runAt: at('08:09:00'), seenAt: at('08:11:00'), restartCount: 1 })
  expect([newest?.until, added[0]?.startedAt, added[0]?.until]).toEqual([
    at('08:10:00'),
    at('08:10:00'),
    at('08:11:00'),
  ])
})

test('a container that is frozen counts as another kind from when it was', () => {
  const frozen = known({ kind: 'FROZEN', startedAt: at('08:12:00'), until: at('08:12:00') })
  const change = { kind: 'FROZEN' as const, seenAt: at('08:12:00') }
  expect(of(known(), { ...change, hasJustChanged: true })).toEqual({
    newest: { until: at('08:12:00'), hasEnded: true },
    added: [frozen],
  })
  // Nobody said when: it was running when it was last seen to.
  expect(of(known(), change)).toEqual({ newest: { until: at('08:10:00'), hasEnded: true }, added: [frozen] })
  // Seen running before it was frozen, and said so afterwards.
  expect(of(frozen, { seenAt: at('08:11:00') })).toEqual(NOTHING)
  expect(of(frozen, { kind: 'FROZEN', finishedAt: at('08:20:00') }).newest?.until).toEqual(at('08:20:00'))
})

test('nothing is added to a month that is closed', () => {
  const closed = at('08:30:00')
  // Seen before the month was closed, and again afterwards: the time in between counts from the new month on.
  expect(of(known(), { seenAt: at('09:00:00') }, closed)).toEqual({
    newest: { until: at('08:10:00'), hasEnded: true },
    added: [known({ startedAt: closed, until: at('09:00:00') })],
  })
  expect(of(known(), { finishedAt: at('08:20:00') }, closed)).toEqual({
    newest: { until: at('08:10:00'), hasEnded: true },
    added: [],
  })
  expect(of(null, { finishedAt: at('08:20:00') }, closed)).toEqual(NOTHING)
  expect(of(null, { seenAt: at('09:00:00') }, closed).added).toEqual([
    known({ startedAt: closed, until: at('09:00:00') }),
  ])
  // Seen after the month had ended, and the engine says that it ended within it.
  const across = known({ until: at('08:40:00') })
  expect(of(across, { finishedAt: at('08:20:00') }, closed).newest).toEqual({ until: closed, hasEnded: true })
})
