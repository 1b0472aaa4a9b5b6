import { describe, expect, test } from 'vitest'
import { levelNumber, levelOfNumber, levelOfWord, numberedLevel } from '../../src/domain/log-level.ts'
import { structuredLevel, structuredLine } from '../../src/domain/structured-line.ts'

const fieldsOf = (line: string) => {
  const structured = structuredLine(line)
  return structured && Object.fromEntries(structured.fields.map(({ name, value }) => [name, value]))
}

describe('a line of JSON', () => {
  test.each([
    ['pino', '{"level":50,"time":1,"msg":"failed","err":{"code":1}}', 'ERROR', 'failed'],
    ['winston', '{"level":"warn","message":"slow"}', 'WARNING', 'slow'],
    ['zap', '{"level":"dpanic","ts":1.5,"msg":"bad"}', 'FATAL', 'bad'],
    ['Google Cloud', '{"severity":"NOTICE","message":"hi"}', 'INFO', 'hi'],
    ['Elastic, nested', '{"log":{"level":"debug"},"message":"hi"}', 'DEBUG', 'hi'],
    ['Elastic, dotted', '{"log.level":"error","message":"hi"}', 'ERROR', 'hi'],
    ['Serilog', '{"@l":"Fatal","@m":"gone"}', 'FATAL', 'gone'],
    ['structlog', '{"event":"started","level":"info"}', 'INFO', 'started'],
    ['no level', '{"msg":"started"}', null, 'started'],
    ['a level that is no level', '{"level":"purple","msg":{"a":1}}', null, null],
    ['a level of another scale', '{"level":3,"msg":"x"}', null, 'x'],
  ])('of %s', (_name, line, level, text) => {
    expect(structuredLine(line)).toMatchObject({ level, text })
    expect(structuredLevel(line)).toBe(level)
  })

  test('has its fields as text: strings as they are, anything else as JSON', () => {
    const line = '{"a":"x","b":1,"c":null,"d":{"e":[true]},"__proto__":"p"}'
    expect(structuredLine(line)?.fields).toEqual([
      { name: 'a', value: 'x' },
      { name: 'b', value: '1' },
      { name: 'c', value: 'null' },
      { name: 'd', value: '{"e":[true]}' },
      { name: '__proto__', value: 'p' },
    ])
  })

  test.each(['{"level":"error"', '{level: error}', '["error"]', '"error"', '{"a":1} {"b":2}', '{', ''])(
    '%s is none',
    (line) => expect(structuredLine(line)).toBeNull(),
  )
})

describe('a line of logfmt', () => {
  // The cases of its first description, and of the parser of kr/logfmt.
  test.each([
    ['foo=bar a=14', { foo: 'bar', a: '14' }],
    ['foo=bar a=14 baz="hello kitty" cool%story=bro', null],
    ['foo=bar a=14 baz="hello kitty" f %^asdf', null],
    ['foo=bar a=14 baz="hello kitty" f', { foo: 'bar', a: '14', baz: 'hello kitty', f: 'true' }],
    ['a=1 b="bar" c d', { a: '1', b: 'bar', c: 'true', d: 'true' }],
    ['a="x \\"y\\" z" b=', { a: 'x "y" z', b: '' }],
    ['a="tab\\there" b="\\x"', { a: 'tab\there', b: '\\x' }],
    ['  level=info\tmsg="stopping workers"  ', { level: 'info', msg: 'stopping workers' }],
    ['url=/a?b=c&d=e n=1', { url: '/a?b=c&d=e', n: '1' }],
    ['a=1 a=2', { a: '2' }],
  ])('%s', (line, fields) => expect(fieldsOf(line)).toEqual(fields))

  test.each([
    'GET /index.html?a=b&c=d 200',
    'hello a=1 b=2',
    'a=1',
    'a=1 b="open',
    'a=1 b="x"y c=2',
    'x = 1, y = 2',
    '=1 =2',
    '[berth] 3 lines were dropped here: more than 5 in a minute',
  ])('%s is none', (line) => expect(structuredLine(line)).toBeNull())

  test('names its level', () => {
    expect(structuredLine('ts=1 level=warn msg="low disk"')).toMatchObject({ level: 'WARNING', text: 'low disk' })
    expect(structuredLevel('ts=1 lvl=eror msg=x')).toBeNull()
    expect(structuredLevel('ts=1 severity=CRITICAL msg=x')).toBe('FATAL')
    expect(structuredLevel('this level=error is prose')).toBeNull()
  })
})

describe('a line that is made to hurt', () => {
  const LONG = 16_000
  test.each([
    ['nested arrays', `{"a":${'['.repeat(LONG / 2)}${']'.repeat(LONG / 2)}}`],
    ['open arrays', `{"a":${'['.repeat(LONG)}`],
    ['many fields', `{${Array.from({ length: 1_500 }, (_, n) => `"${n}":1`).join()}}`],
    ['backslashes', `a=1 b="${'\\'.repeat(LONG)}`],
    ['quotes', `a=1 ${'b="" '.repeat(LONG / 6)}`],
    ['equal signs', `a${'='.repeat(LONG)}`],
    ['blanks', `level=error a=1${' '.repeat(LONG)}`],
    ['a long key', `${'k'.repeat(LONG)}=1 b=2`],
  ])('%s is read, or is plain text', (_name, line) => {
    const structured = structuredLine(line)
    expect(structured?.fields.length ?? 0).toBeLessThanOrEqual(100)
    expect(() => JSON.stringify(structured)).not.toThrow()
    structuredLevel(line)
  })

  test('one that is nested deeper than any logger nests is plain text', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}"]["${']'.repeat(depth)}}`
    expect(structuredLine(nested(49))).not.toBeNull()
    expect(structuredLine(nested(50))).toBeNull()
  })

  test('one that is longer than a piece of output is plain text', () => {
    expect(structuredLine(`{"level":"error","msg":"${'x'.repeat(16_384)}"}`)).toBeNull()
  })
})

test('levels are stored as numbers, and words that are none are not guessed', () => {
  for (const level of ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'FATAL'] as const)
    expect(numberedLevel(levelNumber(level))).toBe(level)
  expect([null, 0, 6].map(numberedLevel)).toEqual([null, null, null])
  expect(['constructor', '__proto__', 'errors', ''].map(levelOfWord)).toEqual([null, null, null, null])
  expect([10, 20, 30, 35, 40, 50, 60, 99].map(levelOfNumber)).toEqual([
    ...['DEBUG', 'DEBUG', 'INFO', 'INFO', 'WARNING', 'ERROR', 'FATAL', 'FATAL'],
  ])
  expect([0, 9, 100, Number.NaN].map(levelOfNumber)).toEqual([null, null, null, null])
})
