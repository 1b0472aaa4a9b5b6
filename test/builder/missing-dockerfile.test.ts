import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dockerfileFor } from '../../src/builder/dockerfile/dockerfile.ts'

let source: string

beforeEach(async () => {
  source = await mkdtemp(join(tmpdir(), 'berth-source-'))
})

afterEach(() => rm(source, { recursive: true }))

async function refusal(dockerfilePath: string | null, files: string[]): Promise<unknown> {
  for (const name of files) await writeFile(join(source, name), '')
  const plan = { preset: 'CUSTOM', presetVersion: null, dockerfileContent: null, dockerfilePath }
  return dockerfileFor(plan, source, source, { buildVariables: [], cacheScope: null }).catch((error: unknown) => error)
}

const LOOKED = ', and its files show no preset: none of package.json, .* is there, which presets begin with'
const ADVICE = 'Add one, name its path in dockerfilePath, or choose a dockerPreset that writes one'

test.each([
  [null, [], `There is no Dockerfile in the source, which is empty${LOOKED}. ${ADVICE}`],
  [
    null,
    ['dockerfile', 'app.js'],
    `There is no Dockerfile in the source, which holds app.js, dockerfile${LOOKED}. ${ADVICE}`,
  ],
  [
    'deploy/Dockerfile',
    ['1', '2', '3', '4', '5', '6', '7'],
    `There is no deploy/Dockerfile in the source, which holds 1, 2, 3, 4, 5 and 2 more. ${ADVICE}`,
  ],
])('a missing Dockerfile (%s) is named beside what is there: %j', async (path, files, message) => {
  expect(await refusal(path, files)).toMatchObject({
    reason: 'DOCKERFILE_NOT_FOUND',
    message: expect.stringMatching(new RegExp(`^${message}: .*NEXT_JS`)),
  })
})
