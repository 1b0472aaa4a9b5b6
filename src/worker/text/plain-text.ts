import { stripVTControlCharacters } from 'node:util'

const MOST_BYTES = 2_048

/**
 * Makes text from outside (an engine, a program's output) safe to store and show: PostgreSQL refuses NUL, JSON refuses
 * half of a surrogate pair, and a terminal should get no control sequences.
 */
export function plainText(text: string): string {
  const harmless = stripVTControlCharacters(text.toWellFormed()).replace(/[\p{Cc}--[\n\t]]/gv, '')
  const cut = Buffer.from(harmless).subarray(0, MOST_BYTES).toString('utf8')
  return cut.replace(/\uFFFD+$/, '').trimEnd()
}
