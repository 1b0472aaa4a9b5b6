import { expect, test } from 'vitest'
import { compareRequestParsers } from './requests-against-llhttp.ts'
import { compareParsers } from './responses-against-llhttp.ts'

test('answers that our parser and llhttp both accept, they read alike', async () => {
  const { differing, bothAccept, bothRefuse } = await compareParsers(7, 1_000)
  expect(differing).toEqual([])
  expect(Math.min(bothAccept, bothRefuse)).toBeGreaterThan(100)
})

test('requests that our parser and llhttp both accept, they read alike', async () => {
  const { differing, bothAccept, sameEnd, lax } = await compareRequestParsers(7, 1_000)
  expect(differing).toEqual([])
  expect(Math.min(bothAccept, sameEnd)).toBeGreaterThan(100)
  // Trailers and extensions of chunks: neither goes further.
  expect(lax.filter((text) => !/\r\nTransfer-Encoding: *chunked\r\n/i.test(text))).toEqual([])
})
