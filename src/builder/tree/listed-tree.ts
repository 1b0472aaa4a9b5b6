import { createReadStream } from 'node:fs'
import { BuildFailure } from '../../domain/build-failure.ts'
import { nameOf } from '../archive/byte-names.ts'
import { entryPath, SourceBudget } from '../archive/entry-rules.ts'
import { COMMIT, MAX_ADDRESS, MAX_PATH_LENGTH, MAX_SUBMODULES, type SourceLimits } from '../limits.ts'

/** Of the mode, the type, the id and the size before each path. */
const MAX_PREFIX_LENGTH = 128
/** A character of a path has up to four bytes. */
const MAX_ENTRY_BYTES = MAX_PREFIX_LENGTH + 4 * MAX_PATH_LENGTH

/** The longest listing of a source within its limits. */
export const maxListingBytes = ({ maxFiles }: SourceLimits): number => maxFiles * MAX_ENTRY_BYTES

export interface Listed {
  files: number
  bytes: number
  /** Repositories of their own in the tree, with the commit that belongs to it. */
  submodules: { path: string; commit: string }[]
}

/**
 * Reads what `git ls-tree -r -l -z` wrote: entries of the form `<mode> <type> <id> <size>\t<path>\0`. Counted before
 * anything is checked out: a small repository can name the same huge file a million times. Throws BuildFailure.
 */
export async function checkListing(file: string, limits: SourceLimits): Promise<Listed> {
  const submodules: Listed['submodules'] = []
  const budget = new SourceBudget(limits)
  let rest = ''
  for await (const text of createReadStream(file, 'latin1')) {
    const entries = (rest + text).split('\0')
    rest = entries.pop() ?? ''
    for (const entry of entries) {
      const submodule = take(entry, budget)
      if (submodule) submodules.push(submodule)
      if (submodules.length > MAX_SUBMODULES)
        throw new BuildFailure('SOURCE_REFUSED', `The repository holds more than ${MAX_SUBMODULES} submodules`)
    }
    // Joining an entry that never ends with each next piece would take quadratic time.
    if (rest.length > MAX_ENTRY_BYTES)
      throw new BuildFailure('SOURCE_REFUSED', 'The repository holds a path that is too long')
  }
  return { ...budget.used, submodules }
}

function take(entry: string, budget: SourceBudget): Listed['submodules'][number] | null {
  const tab = entry.indexOf('\t')
  budget.addFile()
  budget.addBytes(Number(/(?<!\d)(\d+)$/.exec(entry.slice(0, Math.min(tab, MAX_PREFIX_LENGTH)))?.[1] ?? 0))
  const path = entryPath(entry.slice(tab + 1))
  budget.addFoldersAbove(path)
  const [, commit] = /^160000 commit ([0-9a-f]+) /.exec(entry) ?? []
  return commit && COMMIT.test(commit) ? { path, commit } : null
}

const SETTING = /^submodule\.(.*)\.(path|url)$/s

/** The addresses of the submodules at these paths, from what `git config -z --get-regexp` printed; null where it has none. */
export function submoduleAddresses(text: string, paths: readonly string[]): { path: string; address: string | null }[] {
  const settings = new Map<string, { path?: string; url?: string }>()
  for (const entry of text.split('\0')) {
    const end = entry.indexOf('\n')
    const [, name, key] = SETTING.exec(entry.slice(0, Math.max(end, 0))) ?? []
    if (name === undefined || key === undefined) continue
    settings.set(name, { ...settings.get(name), [key]: entry.slice(end + 1) })
  }
  // By path: two submodules may have the same one, of which git takes the last.
  const byPath = new Map([...settings.values()].map(({ path = '', url }) => [nameOf(Buffer.from(path)), url ?? null]))
  return paths.map((path) => {
    const address = byPath.get(path) ?? null
    return { path, address: address !== null && address.length <= MAX_ADDRESS ? address : null }
  })
}
