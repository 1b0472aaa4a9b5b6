import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CheckedCopy, checkCopy } from './check-copy.ts'
import { PROOFS } from './checklists/proofs.ts'
import { ScratchCopy } from './scratch-copy.ts'

const edits = new Map<string, string[]>()
/** A bound on a hang: a dozen programs run, which on a busy machine take many times as long. */
const TIMEOUT_MS = 600_000

let copy: ScratchCopy
let checked: CheckedCopy

beforeAll(async () => {
  copy = new ScratchCopy()
  for (const { heading, follow } of PROOFS) {
    follow(copy)
    edits.set(heading, copy.takeEdited())
  }
  checked = await checkCopy(copy, () => {
    for (const { forgotten } of PROOFS) for (const { forget } of forgotten) forget(copy)
  })
}, TIMEOUT_MS)

afterAll(() => copy?.[Symbol.dispose]())

describe('a copy of the repository in which every checklist was followed', () => {
  test.each(['types', 'import rules', 'folders', 'migrations', 'parity'] as const)(
    'passes the check of its %s',
    (name) => {
      expect(checked.followed[name]).toEqual({ passed: true, output: expect.any(String) })
    },
  )

  test('behaves the same in both APIs', () => {
    for (const name of ['pauseAppEnv', 'growVolume', 'resizeDisk']) {
      expect(checked.followed.parity.output).toMatch(
        new RegExp(`✓.*${name}.* is accepted through REST, GraphQL and MCP`),
      )
    }
  })

  test.each(PROOFS)('has what the checklist "$heading" promises', ({ heading, edits: expected, expectOutcome }) => {
    console.log(`${heading}: ${expected.length} files`)
    expect(edits.get(heading)).toEqual([...expected].sort())
    expectOutcome(checked.printed)
  })
})

describe('a step that is forgotten', () => {
  test.each([
    ['npm run schema', 'schema', /schema\.graphql is out of date/],
    ['node scripts/settings-table.ts', 'settings', /docs\/configuration\.md is out of date/],
    ['npm run solution:check', 'solutions', /docs\/solutions\.md is out of date/],
  ] as const)('%s is refused by the check of the %s', (_command, check, says) => {
    expect(checked.unprinted[check]).toEqual({ passed: false, output: expect.stringMatching(says) })
  })

  const steps = PROOFS.flatMap(({ heading, forgotten }) => forgotten.map((step) => ({ heading, ...step })))
  test.each(steps)('$heading without $step is refused by the check of the $check', ({ check, says }) => {
    expect(checked.forgotten[check]).toEqual({ passed: false, output: expect.stringMatching(says) })
  })
})
