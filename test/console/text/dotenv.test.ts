import { parseEnv } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDotenv, isDotenvName, parseDotenv, rewriteDotenv } from '../../../text/dotenv.ts'

const valuesOf = (text: string) => Object.fromEntries(parseDotenv(text).entries.map(({ name, value }) => [name, value]))

const problemsOf = (text: string) => parseDotenv(text).problems.map(({ line, message }) => `${line}: ${message}`)

/** The cases that dotenv documents, and what it makes of them. */
const DOCUMENTED = String.raw`BASIC=basic

# previous line intentionally left blank
AFTER_LINE=after_line
EMPTY=
EMPTY_SINGLE_QUOTES=''
EMPTY_DOUBLE_QUOTES=""
EMPTY_BACKTICKS=${'``'}
SINGLE_QUOTES='single_quotes'
SINGLE_QUOTES_SPACED='    single quotes    '
DOUBLE_QUOTES_INSIDE_SINGLE='double "quotes" work inside single quotes'
DOUBLE_QUOTES_WITH_NO_SPACE_BRACKET="{ port: $MONGOLAB_PORT}"
SINGLE_QUOTES_INSIDE_DOUBLE="single 'quotes' work inside double quotes"
BACKTICKS_INSIDE_SINGLE='${'`backticks`'} work inside single quotes'
BACKTICKS_SPACED=${'`    backticks    `'}
DOUBLE_AND_SINGLE_QUOTES_INSIDE_BACKTICKS=${'`double "quotes" and single \'quotes\' work inside backticks`'}
EXPAND_NEWLINES="expand\nnew\nlines"
DONT_EXPAND_UNQUOTED=dontexpand\nnewlines
DONT_EXPAND_SQUOTED='dontexpand\nnewlines'
# COMMENTS=work
INLINE_COMMENTS=inline comments # work #very #well
INLINE_COMMENTS_SINGLE_QUOTES='inline comments outside of #singlequotes' # work
INLINE_COMMENTS_DOUBLE_QUOTES="inline comments outside of #doublequotes" # work
INLINE_COMMENTS_SPACE=inline comments start with a#number sign. no space required.
EQUAL_SIGNS=equals==
RETAIN_INNER_QUOTES={"foo": "bar"}
RETAIN_INNER_QUOTES_AS_STRING='{"foo": "bar"}'
RETAIN_INNER_QUOTES_AS_BACKTICKS=${'`{"foo": "bar\'s"}`'}
TRIM_SPACE_FROM_UNQUOTED=    some spaced out string
USERNAME=therealnerdybeast@example.tld
    SPACED_KEY = parsed
export EXPORTED=yes
MULTI_DOUBLE_QUOTED="THIS
IS
A
MULTILINE
STRING"
MULTI_SINGLE_QUOTED='THIS
IS
A
MULTILINE
STRING'
`

describe('a dotenv text', () => {
  test('is read as dotenv documents it, and as Node reads it', () => {
    expect(problemsOf(DOCUMENTED)).toEqual([])
    const values = valuesOf(DOCUMENTED)
    expect(values).toEqual(parseEnv(DOCUMENTED))
    expect(values).toMatchObject({
      EXPAND_NEWLINES: 'expand\nnew\nlines',
      DONT_EXPAND_SQUOTED: String.raw`dontexpand\nnewlines`,
      INLINE_COMMENTS: 'inline comments',
      INLINE_COMMENTS_SPACE: 'inline comments start with a',
      MULTI_DOUBLE_QUOTED: 'THIS\nIS\nA\nMULTILINE\nSTRING',
      SPACED_KEY: 'parsed',
      EXPORTED: 'yes',
    })
  })

  test('may end lines with CRLF, begin with a byte order mark, and have a backslash before its last quote', () => {
    expect(valuesOf('\uFEFFA=1\r\nB="x\r\ny"\rC=3')).toEqual({ A: '1', B: 'x\ny', C: '3' })
    expect(valuesOf('A="C:\\dir\\"\nB="x \\" y"')).toEqual({ A: 'C:\\dir\\', B: 'x \\" y' })
  })

  test('says in which line something is wrong, and reads the rest', () => {
    expect(problemsOf('A=1\n\nwrong\nB="two\nlines"\nA=2\nC="open\nD="x" y\nE=5')).toEqual([
      '3: is no assignment: write NAME=value, or # before a comment',
      '6: A stands in line 1 already; keep one of the two',
      '7: C has text behind its closing ": quote the whole value',
      '8: D has text behind its closing ": quote the whole value',
    ])
    expect(problemsOf("A='open\nB=1")).toEqual(["1: A has no closing '"])
    expect(valuesOf("A='open\nB=1")).toEqual({ B: '1' })
  })

  const name = fc.stringMatching(/^[A-Za-z_][\w.-]{0,12}$/)
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('"', "'", '`', '\\', '\n', '\r', '#', ' ', '$', 'n', 'r', 'a', '=', '\u2028') }),
  )
  const list = fc.uniqueArray(fc.record({ name, value }), { selector: (one) => one.name, maxLength: 8 })

  test('gives back what was written into it', () => {
    fc.assert(
      fc.property(list, (variables) => {
        const { entries, problems } = parseDotenv(formatDotenv(variables))
        expect(problems).toEqual([])
        expect(entries.map((entry) => ({ name: entry.name, value: entry.value }))).toEqual(variables)
      }),
      { numRuns: 2_000 },
    )
  })

  test('holds every name that can stand in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (any) => {
        const text = formatDotenv([{ name: any, value: 'x' }])
        expect(valuesOf(text)).toEqual(isDotenvName(any) ? { [any]: 'x' } : {})
      }),
    )
  })

  test('is read as dotenv does, but for values that dotenv cannot hold', () => {
    const seen = fc.string({ unit: fc.constantFrom('"', "'", '`', '#', ' ', '$', 'a', '=', '\n') })
    fc.assert(
      fc.property(name, seen, (one, written) => {
        const text = formatDotenv([{ name: one, value: written }])
        if (!text.includes("=$'")) expect(parseEnv(text)[one]).toBe(written)
      }),
      { numRuns: 1_000 },
    )
  })

  test('keeps comments, order and what has not changed when it is rewritten', () => {
    const text = '# Greetings\nexport A=\'1\' # first\n\nB=2\nC="two\nlines" # third\nD=4'
    expect(
      rewriteDotenv(text, [
        { name: 'A', value: '1' },
        { name: 'C', value: 'x y' },
        { name: 'D', value: '' },
        { name: 'E', value: 'new' },
      ]),
    ).toBe("# Greetings\nexport A='1' # first\n\nC=x y # third\nD=\nE=new\n")
  })

  test('has exactly the given variables when it is rewritten', () => {
    const comments = fc.array(fc.constantFrom('', '# A=1', '  # note'), { maxLength: 3 })
    fc.assert(
      fc.property(list, list, comments, (before, after, between) => {
        const text = before.map((one) => `${between.join('\n')}\n${formatDotenv([one])}`).join('')
        const { entries, problems } = parseDotenv(rewriteDotenv(text, after))
        expect(problems).toEqual([])
        const pairs = (all: readonly { name: string; value: string }[]) =>
          new Map(all.map((one) => [one.name, one.value]))
        expect(pairs(entries)).toEqual(pairs(after))
        expect(rewriteDotenv(text, before)).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  test('of hostile text is read without a fault, in linear time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const { entries } = parseDotenv(text)
        for (const { start, valueStart, end } of entries) expect(start <= valueStart && valueStart <= end).toBe(true)
      }),
    )
    // The last quote of B ends it, escaped as it is; nothing ends C.
    const long = `A=${'\\"'.repeat(200_000)}\nB="${'x\\"'.repeat(200_000)}\nC='${"\\' x".repeat(200_000)}`
    expect(parseDotenv(long).entries.map((entry) => entry.name)).toEqual(['A', 'B'])
  })
})
