import { stripVTControlCharacters } from 'node:util'
import { withoutTrailing } from '../../domain/without-trailing.ts'
import type { Mask } from './secret-mask.ts'

const MAX_BYTES = 2_048
const END_MARKS = ['\u0007', '\u001b\\', '\u009c']

/**
 * Makes text from outside (an engine, a program's output) safe to store and show: PostgreSQL refuses NUL, JSON refuses
 * half of a surrogate pair, and a terminal should get no control sequences. What an environment's programs may have
 * printed needs the mask of its secrets.
 */
export function plainText(text: string, mask: Mask = (unmasked) => unmasked): string {
  const harmless = withoutSequences(text.toWellFormed()).replace(/[\p{Cc}--[\n\t]]/gv, '')
  // Masked in this order: control sequences could hide a secret, and a cut could leave half of one.
  const cut = Buffer.from(mask(harmless)).subarray(0, MAX_BYTES).toString('utf8')
  return withoutTrailing(cut, '\uFFFD').trimEnd()
}

/**
 * A command to the terminal (`ESC ]`) goes on to its end mark. Node.js searches for that mark once for each command, in
 * all of the text, which takes quadratic time where there is none: so only up to the last mark.
 */
function withoutSequences(text: string): string {
  const ends = END_MARKS.filter((mark) => text.includes(mark)).map((mark) => text.lastIndexOf(mark) + mark.length)
  const last = Math.max(0, ...ends)
  const rest = text.slice(last).split('\u001b]').map(stripVTControlCharacters).join(']')
  return stripVTControlCharacters(text.slice(0, last)) + rest
}
