import { expect, test } from 'vitest'
import { csvText } from '../../src/calls/csv.ts'

test.each([
  ['a word', 'word', 'word'],
  ['nothing', null, ''],
  ['a negative number', -3, '-3'],
  ['a comma', 'a,b', '"a,b"'],
  ['quotes', 'a "b"', '"a ""b"""'],
  ['lines', 'a\nb', '"a\nb"'],
  ['an object', { key: ['x', 1] }, '"{""key"":[""x"",1]}"'],
  ['a formula', '=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['a formula of another kind', '@SUM(1)', `'@SUM(1)`],
])('%s in a cell', (_what, value, cell) => {
  expect(csvText(['id', 'value'], [{ id: 1, value }])).toBe(`id,value\r\n1,${cell}\r\n`)
})
