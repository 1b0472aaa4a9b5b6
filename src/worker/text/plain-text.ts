import { stripVTControlCharacters } from 'node:util'

const MOST_BYTES = 2_048

/**
 * Text from outside (an engine, a program's output) as it can be stored and shown: PostgreSQL takes no NUL, JSON no
 * half characters, and a screen should get no control sequences.
 */
export function plainText(text: string): string {
  const harmless = stripVTControlCharacters(text.toWellFormed()).replace(/[\p{Cc}--[\n\t]]/gv, '')
  const cut = Buffer.from(harmless).subarray(0, MOST_BYTES).toString('utf8')
  return cut.replace(/\uFFFD+$/, '').trimEnd()
}
