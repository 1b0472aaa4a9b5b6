import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasTerminals, Terminal, withoutSequences } from '../support/terminal.ts'

const STEP = join(import.meta.dirname, '../../scripts/setup/step.mjs')
/** Three steps by a clock of their own, the first of which takes 25 s. */
const PROGRAM = `
  let clock = 0, timer
  performance.now = () => clock
  globalThis.setInterval = (work, ms) => { timer = { work, ms } }
  const pass = (ms) => {
    const end = clock + ms
    for (let at = clock + timer.ms; at <= end; at += timer.ms) { clock = at; timer.work() }
    clock = end
  }
  const { step } = await import(${JSON.stringify(STEP)})
  await step('Installing', () => pass(25_000), () => Math.ceil(clock / 10_000) + ' of 9 packages')
  await step('Compiling', () => pass(400))
  await step('Starting', () => { pass(7_000); throw new Error('no') }).catch(() => {})`
const ARGUMENTS = ['--input-type=module', '--eval', PROGRAM]
const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

test('a step of the set-up adds a line every ten seconds in a pipe', () => {
  expect(execFileSync(process.execPath, ARGUMENTS, { encoding: 'utf8' }).split('\n')).toEqual([
    '  Installing …',
    '    10 s, 1 of 9 packages',
    '    20 s, 2 of 9 packages',
    '  Installing … 25.0 s',
    '  Compiling …',
    '  Compiling … 0.4 s',
    '  Starting …',
    '  Starting … failed after 7.0 s',
    '',
  ])
})

/** As dpkg and apt write them: lines that go back to their start, and ones that end as on Windows. */
const INSTALLER = `
  for (const text of ['Selecting\\n(Reading database ... \\r(Reading database ... 5%\\r', '(Reading database ... 10%', '\\r\\nDone\\r\\n'])
    await new Promise((resolve) => process.stdout.write(text, () => setTimeout(resolve, 200)))
  process.exit(Number(process.env.CODE))`

test('an installer that goes back to the start of its line leaves only what stands there', async () => {
  const { runQuietly } = await import(STEP)
  const lines: string[] = []
  const run = (CODE: string) =>
    runQuietly(process.execPath, ['--input-type=module', '--eval', INSTALLER], {
      environment: { CODE },
      onLine: (line: string) => lines.push(line),
    })
  await run('0')
  expect(lines).toEqual(['(Reading database ... 5%', '(Reading database ... 10%', 'Done'])
  await expect(run('3')).rejects.toThrow(/failed \(3\):\nSelecting\n\(Reading database \.\.\. 10%\nDone$/)
})

test.skipIf(!hasTerminals)(
  'on a terminal it is one line, which shows the seconds and ends as the step does',
  async () => {
    await using terminal = new Terminal([process.execPath, ...ARGUMENTS].map(quoted).join(' '))
    expect(await terminal.ended()).toBe(0)
    const lines = terminal.said.trimEnd().split('\n')
    const states = lines.map((line) => line.split('\r').map(withoutSequences).filter(Boolean))
    expect(states[0]).toContainEqual(expect.stringMatching(/^\S Installing … 12 s, 2 of 9 packages$/))
    expect(states.map((line) => line.at(-1))).toEqual([
      '  Installing … 25.0 s',
      '  Compiling … 0.4 s',
      '  Starting … failed after 7.0 s',
    ])
  },
)
