import { split } from 'shlex'
import { type ComposeProblems, textsOf } from './compose-problems.ts'

/** As an environment takes them, besides the program. */
const MAX_WORDS = 100
const MAX_WORD = 4096
/** Of a text that is split. */
const MAX_COMMAND = 32_768

const SHELL = /[;|&<>()]/g
/** What compose and shells read differently: `\n` in quotes, $'…', and commands in backticks. */
const AMBIGUOUS = /\\[^\\"'\s]|\$['"]|`/

/** Adds why the words of entry point and command together are too many. */
export function checkWords(words: readonly string[], place: string, problems: ComposeProblems): void {
  if (words.length > MAX_WORDS) problems.add(place, `must have at most ${MAX_WORDS} words`)
  if (words.some((word) => word.length > MAX_WORD))
    problems.add(place, `must have words of at most ${MAX_WORD} characters`)
}

/** The words of a command. A text is split as compose does, without a shell; null where that cannot be said. */
export function wordsOf(given: unknown, place: string, problems: ComposeProblems): string[] | null {
  if (Array.isArray(given)) return textsOf(given)
  if (typeof given !== 'string') return []
  if (given.length > MAX_COMMAND) {
    problems.add(place, `must be at most ${MAX_COMMAND} characters long`)
    return null
  }
  const words = splitOrNull(given)
  if (words === null) problems.add(place, 'has a quote without its other half')
  // A word more for each that is outside of quotes.
  else if (splitOrNull(given.replace(SHELL, 'x x'))?.length !== words.length)
    problems.add(place, `has one of ; | & < > ( ) outside of quotes, and no shell reads it: ${AS_LIST}`)
  else if (AMBIGUOUS.test(given.replaceAll('\\\\', '')))
    problems.add(place, `has a backslash, backtick or $' that shells read otherwise: ${AS_LIST}`)
  else return words
  return null
}

const AS_LIST = 'write a list, such as ["sh", "-c", "…"]'

function splitOrNull(text: string): string[] | null {
  try {
    return split(text)
  } catch {
    return null
  }
}
