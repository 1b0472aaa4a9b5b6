import { expect, test } from 'vitest'
import { timedOutParty } from '../../src/ingress/http1/exchange.ts'

const ANSWER_MS = 60_000
const body = { bytes: 10, isComplete: false, isHeldBack: false, lastByteAt: 0 }

test.each([
  ['an app in time', null, 60_000, null],
  ['an app that does not answer', null, 60_001, 'app'],
  ['an app that does not answer a complete request', { ...body, isComplete: true }, 60_001, 'app'],
  ['an app that answers late to a slow upload', { ...body, isComplete: true, lastByteAt: 50_000 }, 100_000, null],
  ['an app that does not read', { ...body, isHeldBack: true }, 60_001, 'app'],
  ['a client that stops sending', body, 60_001, 'client'],
  ['a client that sends at a fair pace', { ...body, bytes: 50_000, lastByteAt: 99_000 }, 100_000, null],
  ['a client that sends a byte a second', { ...body, bytes: 100, lastByteAt: 99_000 }, 100_000, 'client'],
  ['a client that starts slowly', { ...body, bytes: 0, lastByteAt: 29_000 }, 30_000, null],
] as const)('%s', (_who, given, now, expected) => {
  expect(timedOutParty({ startedAt: 0, body: given }, now, ANSWER_MS)).toBe(expected)
})
