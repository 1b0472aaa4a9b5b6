import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isInstalled, Shell } from '../support/terminal.ts'
import type { Clone } from './clone.ts'
import { readmeBlocks } from './readme-blocks.ts'

export type ShellName = keyof typeof Shell.COMMANDS

/** The first starts Berth; the others go on beside it. */
export const [START = '', ...OTHERS] = readmeBlocks('sh')
/** What shells and curl say when something in a block is wrong; no block says it of itself. */
const COMPLAINT =
  /command not found|no matches found|parse error|syntax error|bad substitution|curl: \(|not valid|"code":/
const REFUSED = 'curl: (22) The requested URL returned error: 401\nThe token in the Authorization header is not valid'

export const missingFor = (name: ShellName): string[] => [name, 'curl'].filter((program) => !isInstalled(program))
export const SHELLS = Object.keys(Shell.COMMANDS) as ShellName[]

/** Pastes the start of Berth; the shell in which it runs. */
export async function pasteStart(clone: Clone, name: ShellName): Promise<Shell> {
  const running = clone.shell(name)
  await running.begin(clone.block(START))
  await running.until('Berth is ready')
  return running
}

/** Pastes every other block in its order, each of which must work; what they said. */
export async function pasteOthers(clone: Clone, name: ShellName): Promise<string> {
  const answers: string[] = []
  await using shell = clone.shell(name)
  for (const block of OTHERS) {
    const { output, code } = await shell.paste(clone.block(block))
    assert.equal(code, 0, `${block}\nsaid: ${output}`)
    assert.doesNotMatch(output, COMPLAINT, block)
    answers.push(output)
  }
  return answers.join('\n')
}

/** What the blocks said when they were pasted twice: the app of the first round shows what the first round changed. */
export function expectAnswers(answers: readonly string[]): void {
  for (const answer of answers) assert.match(answer, /Welcome to nginx/)
  assert.match(answers.join('\n'), /Hello from Berth! This is version unset[\s\S]*Hello from Berth! This is version 2/)
}

export async function runMutations(clone: Clone): Promise<void> {
  for (const mutation of readmeBlocks('graphql').filter((document) => document.startsWith('mutation')))
    assert.equal(await clone.graphql(mutation), undefined)
}

/** The first block says what is wrong, once; and pasted all the same, the others change nothing. */
export async function stopsAtAWrongToken(clone: Clone, name: ShellName): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-stranger-'))
  mkdirSync(join(folder, '.berth'))
  writeFileSync(join(folder, '.berth/admin-token'), 'berth_u_guessed\n')
  cpSync(join(clone.folder, 'examples'), join(folder, 'examples'), { recursive: true })
  await using shell = clone.shell(name, folder)
  const [first = '', ...rest] = OTHERS.slice(1)
  assert.deepEqual(await shell.paste(clone.block(first)), { output: REFUSED, code: 1 })
  for (const block of rest) {
    const { output, code } = await shell.paste(clone.block(block))
    assert.notEqual(code, 0, block)
    assert.ok(output.split('\n').length <= 2, `${block}\nsaid: ${output}`)
  }
  rmSync(folder, { recursive: true })
}
