/** A path that a source names, and that is not in its folder: a device, a submodule without an address. */
export interface AbsentEntry {
  /** Below the source's folder, as bytes (byte-names.ts). */
  path: string
  /** In words that follow the path: `is a pipe`. */
  reason: string
}

/** Entries of one archive that are named when the build sees them. */
export const MAX_ABSENT = 200

/** A source that was fetched. */
export interface SourceTree {
  folder: string
  /** What the build is refused for, unless its ignore rules leave it out. */
  absent: readonly AbsentEntry[]
  /** What git prints of its commit, by COMMIT_FORMAT; null where it is none. */
  commit: string | null
}
