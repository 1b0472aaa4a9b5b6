import { invalidField } from '../../domain/errors.ts'

/** One preference of the list, without its parameters (RFC 7240 §2); commas inside quotes do not separate. */
const PREFERENCE = /(?:"(?:\\.|[^"\\])*"|[^",])+/g
const WAIT = /^\s*wait\s*(?:=([^;]*))?(?:;.*)?$/is

/**
 * The seconds of `Prefer: wait=N`, cut to the maximum; undefined without one. Unknown preferences are ignored, as RFC
 * 7240 requires. A known one with an invalid value is refused.
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
