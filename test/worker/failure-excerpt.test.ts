import { expect, test } from 'vitest'
import { FailureExcerpt } from '../../src/worker/text/failure-excerpt.ts'

function excerptOf(lines: readonly string[]): string[] {
  const excerpt = new FailureExcerpt()
  for (const line of lines) excerpt.add(line)
  return excerpt.lines()
}

const noise = (count: number) => Array.from({ length: count }, (_, n) => `compiled module ${n}`)

test('the first errors come before the last lines', () => {
  const errors = [
    "src/cart.ts(3,5): error TS2304: Cannot find name 'Cart'.",
    "src/shop.ts(9,1): error TS2304: Cannot find name 'Cart'.",
  ]
  const lines = [...noise(50), errors[0] ?? '', ...noise(5), errors[1] ?? '', ...noise(40)]
  expect(excerptOf(lines)).toEqual([...errors, '…', ...noise(40).slice(-10)])
})

test('errors among the last lines are not repeated', () => {
  const lines = [...noise(3), 'npm error code ENOENT', 'npm error path /app/package.json']
  expect(excerptOf(lines)).toEqual(lines)
  expect(excerptOf([...noise(20), 'fatal: early', ...noise(10)])).toEqual(['fatal: early', ...noise(10)])
})

test('empty lines, and what the builder prints between steps, take no room', () => {
  const lines = ['Step 2/3 : RUN make', ' ---> Running in 0c1', ...noise(8), '', 'Removing intermediate container 0c1']
  expect(excerptOf(lines)).toEqual(['Step 2/3 : RUN make', ...noise(8)])
})

test('no more than five errors are shown, and what an earlier step printed is forgotten', () => {
  const lines = [
    'Step 1/3 : RUN make tools || true',
    'make: *** [tools] Error 2',
    'Step 2/3 : RUN echo cannot fail',
    ...Array.from({ length: 30 }, (_, n) => `test no. ${n + 1} failed`),
    ...noise(20),
  ]
  const expected = Array.from({ length: 5 }, (_, n) => `test no. ${n + 1} failed`)
  expect(excerptOf(lines)).toEqual([...expected, '…', ...noise(20).slice(-10)])
})

test.each([
  ['Error: Cannot find module ./server', true],
  ['ModuleNotFoundError: No module named flask', true],
  ['npm ERR! missing script: build', true],
  ['E: Unable to locate package libfoo', true],
  ['/bin/sh: 1: tsc: not found', true],
  ['sh: vite: Permission denied', true],
  ['Traceback (most recent call last):', true],
  ['panic: runtime error: index out of range', true],
  ["undefined reference to `main'", true],
  ['java.lang.NullPointerException', true],
  ['npm warn deprecated glob@7: cannot be supported', false],
  ['webpack compiled with 0 errors', false],
  ['found no errors', false],
  ['copying src/error-page.tsx', false],
  ['Step 4/7 : RUN npm test || echo failed', false],
  ['[build 4/7] RUN npm test || echo failed', false],
  ['added 120 packages', false],
])('%s names an error: %s', (line, isShown) => {
  expect(excerptOf([line, ...noise(20)]).includes(line)).toBe(isShown)
})

test('long lines are shortened, and the last lines give way, so that all fits into a message', () => {
  const long = (start: string) => `${start} ${'ä'.repeat(4_000)}`
  const lines = excerptOf([
    ...Array.from({ length: 20 }, (_, n) => long(`error ${n}`)),
    ...noise(30).map(long),
    'the end',
  ])
  expect(lines[0]).toMatch(/^error 0 ä+…$/)
  expect(lines.at(-1)).toBe('the end')
  expect(Buffer.byteLength(lines.join('\n'))).toBeLessThan(1_900)
})
