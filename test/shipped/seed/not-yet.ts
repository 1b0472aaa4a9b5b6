import type { Check } from './walk.ts'

/**
 * A row that waits for a missing part of Berth, and a check that it is still missing, so that this list cannot go
 * stale.
 */
export interface NotYet {
  waitsFor: string
  isMissing: Check
}

export const notYet: Record<string, NotYet> = {}

/** The same for sentences outside of the tables. */
export const notYetSentences: [section: string, sentence: string, entry: NotYet][] = []

/** Rules that only say what the seed does not show. */
export const saysNothing: ReadonlySet<string> = new Set(['8 rule 4', '9 rule 4'])
