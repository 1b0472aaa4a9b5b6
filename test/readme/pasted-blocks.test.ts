import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasTerminals, type Shell } from '../support/terminal.ts'
import { Clone } from './clone.ts'
import {
  expectAnswers,
  missingFor,
  OTHERS,
  pasteOthers,
  pasteStart,
  runMutations,
  SHELLS,
  START,
  stopsAtAWrongToken,
} from './pasted-readme.ts'
import { publicImages } from './public-images.ts'

/** Two minutes on a busy machine, if nothing hangs. */
const TIMEOUT_MS = 600_000

const isUsable = (name: (typeof SHELLS)[number]) => hasTerminals && missingFor(name).length === 0
const usable = SHELLS.filter(isUsable)
const undo = new AsyncDisposableStack()
/** One clone for all shells: `npm run prove -- readme` takes one for each. */
let clone: Clone
let running: Shell
const answers: string[] = []

beforeAll(async () => {
  const [first] = usable
  if (!first) return
  undo.use(await publicImages())
  clone = undo.use(await Clone.make())
  running = undo.use(await pasteStart(clone, first))
}, TIMEOUT_MS)

afterAll(() => undo.disposeAsync())

test('the README begins with npm start, goes on with the demo, and then calls the API', () => {
  expect([START, OTHERS[0]]).toEqual(['npm start\n', 'npm run demo\n'])
  expect(OTHERS.length).toBeGreaterThan(4)
})

describe.each(SHELLS)('pasted into %s on a fresh clone', (name) => {
  const missing = missingFor(name)
  if (missing.length > 0) console.warn(`Skipped: pasting the README into ${name} needs ${missing.join(' and ')}`)

  // The second shell pastes them for the second time.
  test.skipIf(!isUsable(name))(
    'every block works in its order, twice, and all stop at a wrong token',
    { timeout: TIMEOUT_MS },
    async () => {
      answers.push(await pasteOthers(clone, name))
      if (usable.length === 1) answers.push(await pasteOthers(clone, name))
      await stopsAtAWrongToken(clone, name)
      if (name !== usable.at(-1)) return
      expectAnswers(answers)
      await runMutations(clone)
      await running.interrupt()
    },
  )
})
