import { expect } from 'vitest'
import type { Check } from './walk.ts'

/**
 * A row that waits for a missing part of Berth, and a check that it is still missing, so that this list cannot go
 * stale.
 */
export interface NotYet {
  waitsFor: string
  isMissing: Check
}

const hasNoPath = (waitsFor: string, path: string): NotYet => ({
  waitsFor,
  isMissing: async (walk) => {
    const { body } = await walk.call('GET', path)
    expect(body).toMatchObject({ status: 404, detail: expect.stringContaining('no path') })
  },
})

const solutions = hasNoPath('solutions', '/solutions')

export const notYet: Record<string, NotYet> = {
  '4.3 GET /api/public/v1/solutions': solutions,
  '4.3 POST /api/public/v1/solutions': solutions,
  '4.3 rule 1': solutions,
  '4.3 rule 2': solutions,
  '4.3 rule 3': solutions,
  '4.3 rule 4': solutions,
  '5 rule 6': solutions,
}

/** The same for sentences outside of the tables. */
export const notYetSentences: [section: string, sentence: string, entry: NotYet][] = [
  ['2.6', 'A solution is a curated catalog entry identified by solutionSlug.', solutions],
]

/** Rules that only say what the seed does not show. */
export const saysNothing: ReadonlySet<string> = new Set(['8 rule 4', '9 rule 4'])
