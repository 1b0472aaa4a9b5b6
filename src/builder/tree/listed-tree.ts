import { createReadStream } from 'node:fs'
import { BuildFailure } from '../../domain/build-failure.ts'
import { SourceBudget, safePath } from '../archive/entry-rules.ts'
import { MAX_PATH_LENGTH, type SourceLimits } from '../limits.ts'

/** Of the mode, the type, the id and the size before each path. */
const MAX_PREFIX_LENGTH = 128
/** A character of a path has up to four bytes. */
const MAX_ENTRY_BYTES = MAX_PREFIX_LENGTH + 4 * MAX_PATH_LENGTH

/** The longest listing of a source within its limits. */
export const maxListingBytes = ({ maxFiles }: SourceLimits): number => maxFiles * MAX_ENTRY_BYTES

/**
 * Reads what `git ls-tree -r -l -z` wrote: entries of the form `<mode> <type> <id> <size>\t<path>\0`. Counted before
 * anything is checked out: a small repository can name the same huge file a million times. Throws BuildFailure.
 */
export async function checkListing(file: string, limits: SourceLimits): Promise<void> {
  const budget = new SourceBudget(limits)
  let rest = ''
  for await (const text of createReadStream(file, 'utf8')) {
    const entries = (rest + text).split('\0')
    rest = entries.pop() ?? ''
    for (const entry of entries) take(entry, budget)
    // Joining an entry that never ends with each next piece would take quadratic time.
    if (rest.length > MAX_ENTRY_BYTES)
      throw new BuildFailure('SOURCE_REFUSED', 'The repository holds a path that is too long')
  }
}

function take(entry: string, budget: SourceBudget): void {
  const tab = entry.indexOf('\t')
  budget.addFile()
  budget.addBytes(Number(/(\d+)$/.exec(entry.slice(0, Math.min(tab, MAX_PREFIX_LENGTH)))?.[1] ?? 0))
  budget.addFoldersAbove(safePath(entry.slice(tab + 1)))
}
