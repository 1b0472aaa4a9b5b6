import Anser from 'anser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  COLOURS,
  type Colour,
  colourOf,
  MAX_RUNS,
  terminalPlainText,
  terminalRuns,
} from '../../../text/terminal-text.ts'

const ESC = '\x1b'
/** What makes text hostile: beginnings, ends and pieces of sequences, in any order. */
const piece = fc.oneof(
  fc.constantFrom(
    `${ESC}[`,
    `${ESC}]`,
    `${ESC}P`,
    `${ESC}_`,
    ESC,
    '\x9b',
    '\x9d',
    '\x90',
    '\x07',
    '\x9c',
    `${ESC}\\`,
    '\x18',
  ),
  fc.constantFrom(
    'm',
    ';',
    ':',
    '31',
    '38;5;',
    '38;2;',
    '?25h',
    '2J',
    '8;;http://x',
    '\r',
    '\b',
    '\t',
    '\u202e',
    '\u200b',
    '\u2028',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ maxLength: 8 }),
)
const hostile = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))

/** What Unicode calls control or format characters, but for tab, and for those that join emoji. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

describe('a line of a terminal', () => {
  test('keeps no control character, whatever it has', () => {
    fc.assert(
      fc.property(hostile, (line) => {
        expect(terminalPlainText(line)).not.toMatch(UNSEEN)
      }),
      { numRuns: 2_000 },
    )
  })

  test('keeps all text that is in no sequence, in its order', () => {
    const words = fc.array(
      fc.tuple(
        fc.stringMatching(/^[a-z ]{1,8}$/),
        fc.constantFrom(
          `${ESC}[1m`,
          `${ESC}[0;31m`,
          `${ESC}[2K`,
          `${ESC}]0;title\x07`,
          `${ESC}(B`,
          `${ESC}Pq#1${ESC}\\`,
          `${ESC}7`,
        ),
      ),
    )
    fc.assert(
      fc.property(words, (parts) => {
        expect(terminalPlainText(parts.flat().join(''))).toBe(parts.map(([word]) => word).join(''))
      }),
    )
  })

  test('hides nothing behind a sequence that does not end', () => {
    expect(terminalPlainText(`${ESC}]0;all of this`)).toBe('␛]0;all of this')
    expect(terminalPlainText(`${ESC}[12;é`)).toBe('␛[12;é')
    expect(terminalPlainText(`a${ESC}`)).toBe('a␛')
  })

  test('shows the words of a link without its address', () => {
    expect(terminalRuns(`${ESC}]8;;javascript:alert(1)\x07click${ESC}]8;;\x07!`)).toEqual([
      { text: 'click!', classes: [] },
    ])
  })

  test('shows what overwrites text as a sign, and ends as on Windows', () => {
    expect(terminalPlainText('10%\r50%\b!\r')).toBe('10%␍50%␈!')
  })

  test('has as many parts as its length at most, and a bound on them', () => {
    fc.assert(
      fc.property(hostile, (line) => {
        const runs = terminalRuns(line)
        expect(runs.length).toBeLessThanOrEqual(Math.max(1, line.length))
        expect(runs.every(({ text }) => text !== '')).toBe(true)
        // Each character that is not seen becomes a sign of eight characters at most.
        expect(runs.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(line.length * 8)
      }),
    )
    expect(terminalRuns(`${ESC}[31mx${ESC}[32my`.repeat(5_000)).length).toBe(MAX_RUNS + 1)
  })

  test.each([
    ['introducers of texts without an end', '\x9d'],
    ['sequences that are broken off', `${ESC}[1;`],
    ['texts that escapes break off', `${ESC}]0;`],
    ['parameters', `${ESC}[${'1;'.repeat(50)}`],
  ])('reads each character of many %s once', (_, unit) => {
    // Each part of the pattern is asked where the last one ended: a length of 4 million would not end if it were asked again.
    const line = unit.repeat(4_000_000 / unit.length)
    expect(terminalPlainText(line).length).toBeLessThanOrEqual(line.length * 8)
  })
})

const sgr = fc.oneof(
  fc.constantFrom(0, 1, 2, 4, 22, 24, 39, 49).map(String),
  fc.integer({ min: 30, max: 37 }).map(String),
  fc.integer({ min: 40, max: 47 }).map(String),
  fc.integer({ min: 90, max: 97 }).map(String),
  fc.integer({ min: 100, max: 107 }).map(String),
  fc.tuple(fc.constantFrom(38, 48), fc.nat(255)).map(([which, colour]) => `${which};5;${colour}`),
  fc
    .tuple(fc.constantFrom(38, 48), fc.nat(255), fc.nat(255), fc.nat(255))
    .map(([which, ...rgb]) => `${which};2;${rgb.join(';')}`),
)

/** The name that we give to a colour of Anser: one of its classes, or three numbers. */
function nameOf(colour: string | null, rgb: string | null, palette: string | null): Colour | null {
  if (!colour) return null
  const [, name] = /^ansi-(?:bright-)?([a-z]+)$/.exec(colour) ?? []
  if (colour === 'ansi-bright-black') return 'grey'
  if (name && name !== 'truecolor') return COLOURS.find((each) => each === name) ?? null
  const [red = 0, green = 0, blue = 0] = (colour === 'ansi-truecolor' ? (rgb ?? '') : (palette ?? ''))
    .split(',')
    .map(Number)
  return colourOf(red, green, blue)
}

test('its colours are those of another implementation, Anser', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,4}$/), sgr), { maxLength: 12 }), (parts) => {
      const line = parts.map(([text, code]) => `${text}${ESC}[${code}m`).join('')
      const options = { json: true, remove_empty: true }
      const byClass = Anser.ansiToJson(line, { ...options, use_classes: true })
      const byColour = Anser.ansiToJson(line, options)
      const theirs = byClass.flatMap((part, at) => {
        const ink = nameOf(part.fg, part.fg_truecolor, byColour[at]?.fg ?? null)
        const ground = nameOf(part.bg, part.bg_truecolor, byColour[at]?.bg ?? null)
        const { decorations } = part
        const classes = [
          ink,
          ground && `on-${ground}`,
          ...(['bold', 'dim', 'underline'] as const).filter((each) => decorations.includes(each)),
        ].filter(Boolean)
        return [...part.content].map((character) => `${character} ${classes.join(' ')}`)
      })
      const ours = terminalRuns(line).flatMap(({ text, classes }) =>
        [...text].map((character) => `${character} ${classes.join(' ')}`),
      )
      expect(ours).toEqual(theirs)
    }),
    { numRuns: 1_000 },
  )
})
