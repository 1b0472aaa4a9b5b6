import { visibleText } from './visible-text.ts'

/** Names of the colours that text can have: those of terminals, with one grey, and no brighter ones of each. */
export const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white', 'grey'] as const
export type Colour = (typeof COLOURS)[number]

export type TerminalClass = Colour | `on-${Colour}` | 'bold' | 'dim' | 'underline'

/** A part of a line that looks alike. */
export interface TerminalRun {
  text: string
  classes: readonly TerminalClass[]
}

/** So that a line of nothing but colours does not become as many elements: what follows has no colour. */
export const MAX_RUNS = 1_000

/**
 * Escape sequences, by what ends them: those with parameters, those with a text (titles, links, the clipboard), and short
 * ones. A text that nothing ends goes on to the end of the line, so each character is read once.
 */
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\x1b\[|\x9b)([0-?]*)([ -/]*)([@-~]?)|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x9c]*(?:(\x1b\\|[\x07\x18\x1a\x9c])|(?=(\x1b)))?|(\x1b[ -/]*[0-~])/g

/**
 * A line of a terminal, in parts that look alike. Of escape sequences only colours, bold, dim and underline count; those that
 * move, name, link or copy are left out, and any other character that is not seen becomes a sign. It never throws, and takes
 * time that grows with the length alone.
 */
export function terminalRuns(line: string): TerminalRun[] {
  const runs: TerminalRun[] = []
  let style: Style = PLAIN
  let at = 0
  const add = (text: string) => {
    if (text === '') return
    const classes = runs.length < MAX_RUNS ? classesOf(style) : []
    const last = runs.at(-1)
    if (last && last.classes.join() === classes.join()) last.text += text
    else runs.push({ text, classes })
  }
  for (const match of line.matchAll(SEQUENCE)) {
    add(visibleText(line.slice(at, match.index)))
    at = match.index + match[0].length
    const [sequence, parameters, between, final, end, next, short] = match
    const isWhole = final || end || next || short
    if (!isWhole) add(visibleText(sequence))
    else if (final === 'm' && between === '' && /^[\d;:]*$/.test(parameters ?? ''))
      style = styled(style, parameters ?? '')
  }
  // A line that ended as on Windows.
  add(visibleText(line.slice(at).replace(/\r$/, '')))
  return runs
}

/** The line without its colours: what is copied has no control characters. */
export const terminalPlainText = (line: string): string =>
  terminalRuns(line)
    .map(({ text }) => text)
    .join('')

interface Style {
  readonly ink: Colour | null
  readonly ground: Colour | null
  readonly isBold: boolean
  readonly isDim: boolean
  readonly isUnderlined: boolean
}

const PLAIN: Style = { ink: null, ground: null, isBold: false, isDim: false, isUnderlined: false }

const classesOf = ({ ink, ground, isBold, isDim, isUnderlined }: Style): TerminalClass[] => [
  ...(ink ? [ink] : []),
  ...(ground ? [`on-${ground}` as const] : []),
  ...(isBold ? (['bold'] as const) : []),
  ...(isDim ? (['dim'] as const) : []),
  ...(isUnderlined ? (['underline'] as const) : []),
]

/** The style after a sequence: `1;31`, `38;5;208` or `38:2::255:100:0`. */
function styled(before: Style, parameters: string): Style {
  const codes = parameters.split(';')
  let style = before
  for (let at = 0; at < codes.length; at++) {
    const [code = 0, ...more] = (codes[at] ?? '').split(':').map(Number)
    if (code !== 38 && code !== 48) {
      style = withCode(style, code, more[0])
      continue
    }
    // After colons, the colour may be preceded by the name of a space of colours.
    const isOwn = more.length > 0
    const values = isOwn
      ? more[0] === 2 && more.length > 4
        ? [2, ...more.slice(2)]
        : more
      : codes.slice(at + 1, at + 5).map(Number)
    const colour = chosenColour(values)
    if (!isOwn) at += values[0] === 5 ? 2 : values[0] === 2 ? 4 : 0
    if (colour) style = code === 38 ? { ...style, ink: colour } : { ...style, ground: colour }
  }
  return style
}

function withCode(style: Style, code: number, detail: number | undefined): Style {
  if (code === 0) return PLAIN
  if (code === 1) return { ...style, isBold: true }
  if (code === 2) return { ...style, isDim: true }
  if (code === 4) return { ...style, isUnderlined: detail !== 0 }
  if (code === 22) return { ...style, isBold: false, isDim: false }
  if (code === 24) return { ...style, isUnderlined: false }
  if (code === 39) return { ...style, ink: null }
  if (code === 49) return { ...style, ground: null }
  if (code >= 30 && code <= 37) return { ...style, ink: namedColour(code - 30) }
  if (code >= 40 && code <= 47) return { ...style, ground: namedColour(code - 40) }
  if (code >= 90 && code <= 97) return { ...style, ink: namedColour(code - 82) }
  if (code >= 100 && code <= 107) return { ...style, ground: namedColour(code - 92) }
  return style
}

/** Of the sixteen: the bright ones are as the others are, but for black, which is grey. */
const namedColour = (number: number): Colour | null => (number === 8 ? 'grey' : (COLOURS[number % 8] ?? null))

function chosenColour([kind, a = 0, b = 0, c = 0]: readonly number[]): Colour | null {
  if (kind === 2) return colourOf(a, b, c)
  if (kind !== 5 || !(a >= 0 && a <= 255)) return null
  if (a < 16) return namedColour(a)
  if (a >= 232) return colourOf(...grey(8 + (a - 232) * 10))
  const [red = 0, green = 0, blue = 0] = [Math.floor((a - 16) / 36), Math.floor((a - 16) / 6) % 6, (a - 16) % 6].map(
    (step) => (step === 0 ? 0 : 55 + step * 40),
  )
  return colourOf(red, green, blue)
}

const grey = (value: number) => [value, value, value] as const

const LEAST_CHROMA = 48
const HUES = [
  [20, 'red'],
  [75, 'yellow'],
  [165, 'green'],
  [200, 'cyan'],
  [260, 'blue'],
  [340, 'magenta'],
  [361, 'red'],
] as const

/** The nearest of the names to a colour of three numbers to 255: each has enough contrast on either ground. */
export function colourOf(red: number, green: number, blue: number): Colour {
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  const chroma = most - least
  if (!(chroma >= LEAST_CHROMA)) return most < 64 ? 'black' : most < 192 ? 'grey' : 'white'
  const sixth =
    most === red ? (green - blue) / chroma : most === green ? 2 + (blue - red) / chroma : 4 + (red - green) / chroma
  const hue = (sixth * 60 + 360) % 360
  return HUES.find(([end]) => hue < end)?.[1] ?? 'red'
}
