import { invalidField } from '../../domain/errors.ts'

/** One preference of the list, less its parameters (RFC 7240 §2); commas within quotes part nothing. */
const PREFERENCE = /(?:"(?:\\.|[^"\\])*"|[^",])+/g
const WAIT = /^\s*wait\s*(?:=([^;]*))?(?:;.*)?$/is

/**
 * The seconds that `Prefer: wait=N` asks for, cut to what is granted; undefined without one. Preferences that are
 * not known are ignored, as RFC 7240 has it. One that is known and makes no sense is a mistake, and told.
 */
export function waitOf(prefer: string | undefined, maxSeconds: number): number | undefined {
  for (const [preference] of prefer?.matchAll(PREFERENCE) ?? []) {
    const wait = WAIT.exec(preference)
    if (!wait) continue
    const seconds = /^\s*(?:(\d+)|"(\d+)")\s*$/.exec(wait[1] ?? '')
    if (seconds) return Math.min(Number(seconds[1] ?? seconds[2]), maxSeconds)
    throw invalidField('Prefer', `wait must be a whole number of seconds from 0 to ${maxSeconds}, as in wait=60`)
  }
}
