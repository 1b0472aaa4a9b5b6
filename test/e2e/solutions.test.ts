import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { STORIES } from './solutions/stories.ts'
import { tellStory } from './solutions/tell-story.ts'

/** The others are told by npm run prove:solutions. */
const TOLD = 'verdaccio'

let berth: TestPlatform

beforeAll(async () => {
  berth = await startTestPlatform({ BERTH_READY_TIMEOUT_SECONDS: '120' })
})
afterAll(() => berth?.stop())

test('a solution is installed for real, used, redeployed with its data and removed', async () => {
  const story = STORIES.find(({ slug }) => slug === TOLD)
  if (!story) throw new Error(`There is no story of ${TOLD}`)
  const { docker, ok, platform, database } = berth
  const lines: string[] = []
  const volumesOf = (ids: readonly string[]) =>
    database.volume.count({ where: { appEnvId: { in: [...ids] }, deletedAt: null } })
  await tellStory({ docker, ok, ingressUrl: platform.ingressUrl ?? '', volumesOf }, story, (line) => lines.push(line))
  expect(lines.at(-1)).toContain('removed')
})
