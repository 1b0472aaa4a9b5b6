import { expect, test } from 'vitest'
import { exitCodeText } from '../../../text/exit-code.ts'

test.each([
  [1, 'exit code 1'],
  [126, 'the command cannot be run (exit code 126)'],
  [127, 'the command was not found (exit code 127)'],
  [134, 'ended by SIGABRT (exit code 134)'],
  [137, 'killed (SIGKILL, exit code 137)'],
  [139, 'a memory fault (SIGSEGV, exit code 139)'],
  [143, 'asked to end (SIGTERM, exit code 143)'],
  [255, 'exit code 255'],
])('the exit code %i reads: %s', (code, words) => {
  expect(exitCodeText(code)).toBe(words)
})
