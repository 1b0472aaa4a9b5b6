import { afterAll, beforeAll, expect, test } from 'vitest'
import { runPlays } from './run-plays.ts'
import { pretendedEngine, type Stage, setStage } from './stage.ts'

const SEED = 20_261_121
const IMAGES = ['sound', 'other', 'broken']
const log = () => {}
let stage: Stage

beforeAll(async () => {
  stage = await setStage(pretendedEngine)
})

afterAll(() => stage?.close())

test('an environment answers as its model does, whatever is asked in whatever order', {
  timeout: 240_000,
}, async () => {
  const plays = { seed: SEED, runs: 5, slots: 5, turns: 30, callers: 3, images: IMAGES }
  expect(await runPlays(stage, plays, log)).toMatchObject({ plays: 5 })
})

test('twenty callers at once get answers that some order explains', { timeout: 240_000 }, async () => {
  const plays = { seed: SEED, runs: 1, slots: 1, turns: 80, callers: 20, images: IMAGES }
  expect(await runPlays(stage, plays, log)).toMatchObject({ plays: 1 })
})
