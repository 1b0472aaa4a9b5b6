import { invalidField } from '../../../domain/errors.ts'

/**
 * The seconds of `Prefer: wait=N`, cut to the maximum; undefined without one. Unknown preferences are ignored, as RFC
 * 7240 requires. A known one with an invalid value is refused.
 */
export function waitOf(prefer: string | undefined, maxSeconds: number): number | undefined {
  const value = preferredOf(prefer, 'wait')
  if (value === undefined) return
  const seconds = /^(?:(\d+)|"(\d+)")$/.exec(value)
  if (seconds) return Math.min(Number(seconds[1] ?? seconds[2]), maxSeconds)
  throw invalidField('Prefer', `wait must be a whole number of seconds from 0 to ${maxSeconds}, as in wait=60`)
}

/** Whether `Prefer: return=representation` asks for the whole object. Other values of `return` are ignored. */
export const wantsRepresentation = (prefer: string | undefined): boolean =>
  /^"?representation"?$/.test(preferredOf(prefer, 'return') ?? '')

/** The value of the first preference of that name. */
function preferredOf(prefer: string | undefined, wanted: string): string | undefined {
  for (const preference of preferencesOf(prefer ?? '')) {
    const [name = '', value = ''] = splitOnce(splitOnce(preference, ';')[0] ?? '', '=')
    if (name.trim().toLowerCase() === wanted) return value.trim()
  }
}

function splitOnce(text: string, separator: string): [string, string] | [string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

/**
 * The preferences of the list (RFC 7240 §2). Commas inside quotes do not separate; a quote that is never closed reaches
 * to the end. Read once from left to right: a regular expression would try every quote as an end.
 */
function preferencesOf(header: string): string[] {
  const preferences: string[] = []
  let start = 0
  let isQuoted = false
  for (let index = 0; index < header.length; index += 1) {
    const character = header[index]
    if (isQuoted && character === '\\') index += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (character === ',' && !isQuoted) {
      preferences.push(header.slice(start, index))
      start = index + 1
    }
  }
  preferences.push(header.slice(start))
  return preferences
}
