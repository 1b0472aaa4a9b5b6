import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFreshBerth } from '../trust/fresh-berth.ts'
import { sayingOf } from './mistake.ts'
import { MISTAKES, SETTINGS } from './mistakes.ts'

let fresh: Awaited<ReturnType<typeof startFreshBerth>>

beforeAll(async () => {
  fresh = await startFreshBerth({ ...SETTINGS, DOCKER_HOST: 'unix:///nonexistent' })
})

afterAll(() => fresh?.close())

test('there are twelve mistakes, each once', () => {
  expect(new Set(MISTAKES.map(({ title }) => title)).size).toBe(12)
  expect(MISTAKES).toHaveLength(12)
})

// The others need an engine; npm run prove -- mistakes makes them all, and measures how long it takes.
test.each(MISTAKES.filter(({ needsEngine }) => !needsEngine))('$title is said', async (mistake) => {
  const { message } = await sayingOf(mistake, { berth: fresh.berth, image: '', stopEngine: async () => {} })
  expect(message).toMatch(mistake.says)
})
