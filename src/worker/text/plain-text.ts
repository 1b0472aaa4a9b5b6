import { stripVTControlCharacters } from 'node:util'
import type { Mask } from './secret-mask.ts'

const MOST_BYTES = 2_048

/**
 * Makes text from outside (an engine, a program's output) safe to store and show: PostgreSQL refuses NUL, JSON refuses
 * half of a surrogate pair, and a terminal should get no control sequences. What an environment's programs may have
 * printed needs the mask of its secrets.
 */
export function plainText(text: string, mask: Mask = (unmasked) => unmasked): string {
  const harmless = stripVTControlCharacters(text.toWellFormed()).replace(/[\p{Cc}--[\n\t]]/gv, '')
  // Masked in this order: control sequences could hide a secret, and a cut could leave half of one.
  const cut = Buffer.from(mask(harmless)).subarray(0, MOST_BYTES).toString('utf8')
  return cut.replace(/\uFFFD+$/, '').trimEnd()
}
