import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasTerminals, isInstalled, Shell } from '../support/terminal.ts'
import { Clone } from './clone.ts'
import { publicImages } from './public-images.ts'
import { readmeBlocks } from './readme-blocks.ts'

const [start = '', ...others] = readmeBlocks('sh')
/** What shells and curl say when something in a block is wrong; no block says it of itself. */
const COMPLAINT =
  /command not found|no matches found|parse error|syntax error|bad substitution|curl: \(|not valid|"code":/
/** Two minutes on a busy machine, if nothing hangs. */
const TIMEOUT_MS = 600_000
const SHELLS = Object.keys(Shell.COMMANDS) as (keyof typeof Shell.COMMANDS)[]

let images: AsyncDisposable

beforeAll(async () => {
  images = await publicImages()
})

afterAll(() => images?.[Symbol.asyncDispose]())

test('the README begins with npm start, goes on with the demo, and then calls the API', () => {
  expect([start, others[0]]).toEqual(['npm start\n', 'npm run demo\n'])
  expect(others.length).toBeGreaterThan(4)
})

describe.each(SHELLS)('pasted into %s on a fresh clone', (name) => {
  const missing = [name, 'curl'].filter((program) => !isInstalled(program))
  if (missing.length > 0) console.warn(`Skipped: pasting the README into ${name} needs ${missing.join(' and ')}`)

  test.skipIf(missing.length > 0 || !hasTerminals)(
    'every block works in its order, twice, and all stop at a wrong token',
    { timeout: TIMEOUT_MS },
    async () => {
      await using clone = await Clone.make()
      await using running = clone.shell(name)
      await running.begin(clone.block(start))
      await running.until('Berth is ready')

      const answers: string[] = []
      for (const _round of [1, 2]) {
        await using shell = clone.shell(name)
        for (const block of others) {
          const { output, code } = await shell.paste(clone.block(block))
          expect({ block, output, code }).toMatchObject({ code: 0, output: expect.not.stringMatching(COMPLAINT) })
          answers.push(output)
        }
      }
      expect(answers.join('\n')).toMatch(/Welcome to nginx/)
      expect(answers.join('\n')).toMatch(
        /Hello from Berth! This is version unset[\s\S]*Hello from Berth! This is version 2/,
      )

      for (const mutation of readmeBlocks('graphql').filter((document) => document.startsWith('mutation'))) {
        expect(await clone.graphql(mutation)).toBeUndefined()
      }
      await stopsAtAWrongToken(clone, name)
      await running.interrupt()
    },
  )
})

/** The first block says what is wrong, once; and pasted all the same, the others change nothing. */
async function stopsAtAWrongToken(clone: Clone, name: keyof typeof Shell.COMMANDS): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-stranger-'))
  mkdirSync(join(folder, '.berth'))
  writeFileSync(join(folder, '.berth/admin-token'), 'berth_u_guessed\n')
  cpSync(join(clone.folder, 'examples'), join(folder, 'examples'), { recursive: true })
  await using shell = clone.shell(name, folder)
  const [first = '', ...rest] = others.slice(1)
  const { output, code } = await shell.paste(clone.block(first))
  expect({ output, code }).toEqual({
    output: 'curl: (22) The requested URL returned error: 401\nThe token in the Authorization header is not valid',
    code: 1,
  })
  for (const block of rest) {
    const answer = await shell.paste(clone.block(block))
    expect({ block, ...answer }).not.toMatchObject({ code: 0 })
    expect(answer.output.split('\n').length).toBeLessThanOrEqual(2)
  }
  rmSync(folder, { recursive: true })
}
