import { readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'
import { type AnalysisResult, analyse } from 'scslre'
import { sourceFiles } from './source-files.ts'

/** A pattern of src, as a literal or as an expression that builds one. */
export interface FoundPattern {
  path: string
  /** As the source has it. */
  text: string
  /** Null where it is built from something else than a literal. */
  pattern: RegExp | null
}

/** Every literal of a pattern, every `RegExp(…)`, and every `pattern: '…'`, which is one for a value of a solution. */
export function patternsOfSource(): FoundPattern[] {
  return sourceFiles()
    .filter(({ path }) => /(?<!\.d)\.m?[jt]s$/.test(path))
    .flatMap(({ path, absolutePath }) => patternsOf(path, readFileSync(absolutePath, 'utf8')))
}

interface Node {
  type: string
  start: number
  end: number
  [name: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

export function patternsOf(path: string, source: string): FoundPattern[] {
  const found: FoundPattern[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isNode(value)) return
    const text = source.slice(value.start, value.end)
    const pattern = patternOf(value)
    if (pattern !== undefined) found.push({ path, text, pattern })
    Object.values(value).forEach(visit)
  }
  visit(parseAst(source, { lang: path.endsWith('ts') ? 'ts' : 'js' }))
  return found
}

/** Undefined where the node is no pattern; null where what it is shows only when it runs. */
function patternOf({ type, regex, callee, key, value }: Node): RegExp | null | undefined {
  const literal = regex as { pattern: string; flags: string } | undefined | null
  if (type === 'Literal' && literal) return new RegExp(literal.pattern, literal.flags)
  const called = callee as { name?: string } | undefined
  if ((type === 'NewExpression' || type === 'CallExpression') && called?.name === 'RegExp') return null
  const named = key as { name?: string } | undefined
  if (type !== 'Property' || named?.name !== 'pattern' || !isNode(value)) return undefined
  return typeof value.value === 'string' ? new RegExp(`^(?:${value.value})$`, 'u') : undefined
}

type Part = AnalysisResult['parsed']['pattern']['alternatives'][number]['elements'][number]
type Alternatives = AnalysisResult['parsed']['pattern']['alternatives']

/** What the analysis of a pattern finds: characters that, repeated, may take more than linear time. */
export function foundByAnalysis({ source, flags }: RegExp): string[] {
  const { reports } = analyse({ source, flags }, { maxReports: 3 })
  return reports.map(({ type, character }) => `${type} of ${JSON.stringify(character.pick)}`)
}

/** Characters, from those that an exponent shows itself in. */
const SHORT = [16, 20, 24, 28, 32, 40, 48, 64, 128, 512, 2_000]
const MAX_SHORT_MS = 3
const [MEDIUM, LONG] = [6_000, 60_000]
const SUSPICIOUS_MS = 0.5
/** Ten times the text takes ten times as long; where it takes a hundred times, the pattern backtracks. */
const MAX_RATIO = 30
const TRIES = 3
/** What no pattern, or not every one, accepts at its end. */
const ENDS = ['', '\0', '\n!', ',"\'}> ']

/**
 * A repeated text that makes a pattern take more than linear time, measured; null when none is found. The analysis repeats
 * single characters; this repeats what stands between two places of the pattern, such as `lock file `.
 */
export function foundByMeasuring(pattern: RegExp): string | null {
  for (const { before, repeated } of textsFor(pattern))
    for (const end of ENDS) {
      const textOf = (length: number) => before + repeated.repeat(Math.ceil(length / repeated.length)) + end
      if (isSlow(pattern, textOf))
        return `${JSON.stringify(before)} + ${JSON.stringify(repeated)} + ${JSON.stringify(end)}`
    }
  return null
}

function isSlow(pattern: RegExp, textOf: (length: number) => string): boolean {
  if (SHORT.some((length) => msOf(pattern, textOf(length), MAX_SHORT_MS) > MAX_SHORT_MS)) return true
  const medium = msOf(pattern, textOf(MEDIUM), SUSPICIOUS_MS)
  return medium > SUSPICIOUS_MS && msOf(pattern, textOf(LONG), MAX_RATIO * medium) > MAX_RATIO * medium
}

/** Processor time; of several tries, where the first one took too long. */
function msOf(pattern: RegExp, text: string, enoughMs: number): number {
  let fastest = Number.POSITIVE_INFINITY
  for (let tried = 0; tried < TRIES && fastest > enoughMs; tried += 1) {
    pattern.lastIndex = 0
    const before = process.cpuUsage()
    if (pattern.global) text.replace(pattern, '')
    else pattern.test(text)
    const { user, system } = process.cpuUsage(before)
    fastest = Math.min(fastest, (user + system) / 1000)
  }
  return fastest
}

interface Repetition {
  /** A text that the pattern matches up to the place. */
  before: string
  repeated: string
}

/** Texts between any two places of which one is a loop, an alternation or an end. */
function textsFor({ source, flags }: RegExp): Repetition[] {
  const { pattern } = analyse({ source, flags }, { maxReports: 1 }).parsed
  const found = new Map<string, Repetition>()
  const add = (before: string, repeated: string) => {
    if (repeated === '') return
    // A word that has to end needs something between itself and the next.
    for (const one of ['', before])
      for (const text of [repeated, `${repeated} `]) found.set(`${one}\0${text}`, { before: one, repeated: text })
  }
  const visit = (alternatives: Alternatives, before: string): void => {
    for (const { elements } of alternatives) {
      const texts = elements.map((part) => textOf(part, flags))
      const isTurn = (index: number) => index === 0 || index >= elements.length || isLoopOrGroup(elements[index])
      for (let from = 0; from < elements.length; from += 1) {
        const until = before + texts.slice(0, from).join('')
        for (let to = from + 1; to <= elements.length; to += 1)
          if (isTurn(from) || isTurn(to) || isTurn(to - 1)) add(until, texts.slice(from, to).join(''))
        visitInside(elements[from], until)
      }
    }
  }
  const visitInside = (part: Part | undefined, before: string): void => {
    if (part?.type === 'Quantifier') visitInside(part.element, before)
    if (part?.type === 'Group' || part?.type === 'CapturingGroup') visit(part.alternatives, before)
    if (part?.type === 'Assertion' && 'alternatives' in part) visit(part.alternatives, before)
  }
  visit(pattern.alternatives, '')
  return [...found.values()]
}

const isLoopOrGroup = (part: Part | undefined) =>
  part !== undefined && ['Quantifier', 'Group', 'CapturingGroup'].includes(part.type)

/** A text that a part of a pattern matches. */
function textOf(part: Part, flags: string): string {
  switch (part.type) {
    case 'Character':
      return String.fromCodePoint(part.value)
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return oneOf(part.raw, flags)
    case 'Quantifier':
      return textOf(part.element, flags).repeat(Math.max(1, part.min))
    case 'Group':
    case 'CapturingGroup':
      return (part.alternatives[0]?.elements ?? []).map((one) => textOf(one, flags)).join('')
    default:
      return ''
  }
}

const CHARACTERS = [...'a0 A_.-/:=,"\'\t\n\r{}[]()<>@%+#!\0\u0080']

function oneOf(raw: string, flags: string): string {
  const set = new RegExp(`^(?:${raw})$`, flags.replace(/[gy]/g, ''))
  return CHARACTERS.find((character) => set.test(character)) ?? ''
}
