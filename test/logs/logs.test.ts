import { expect, inject, test } from 'vitest'
import { keepLogs } from './kept-logs.ts'

test('logs outlive a collector that is killed, and the container', { timeout: 240_000 }, async () => {
  const kept = await keepLogs(10_000, 1, inject('postgresTemplate'))
  expect(kept).toMatchObject({ lost: 0, doubled: 0, hasLastWords: true, kills: 1, found: 5 })
})
