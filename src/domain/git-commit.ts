import { isStorableTime } from './times.ts'

/** What a commit says of itself: whatever its author wrote, shortened. */
export interface GitCommit {
  message: string
  author: string
  /** ISO 8601; null where the commit has no such time. */
  authoredAt: string | null
}

export const MAX_COMMIT_MESSAGE_LENGTH = 1_000
const MAX_AUTHOR_LENGTH = 200
const FIELDS = 3

/** What `git show` prints by it: fields with a NUL between them. */
export const COMMIT_FORMAT = '%an%x00%at%x00%B'

/** Reads that; null for anything else. `shown` makes text safe to store and show. */
export function parseCommit(printed: string, shown: (text: string) => string): GitCommit | null {
  const [author, seconds, message] = printed.split('\0', FIELDS)
  if (author === undefined || message === undefined) return null
  const at = new Date(Number(seconds) * 1_000)
  const isTime = Number.isFinite(at.getTime()) && isStorableTime(at.toISOString())
  return {
    message: shown(message).trim().slice(0, MAX_COMMIT_MESSAGE_LENGTH).toWellFormed(),
    author: shown(author).trim().slice(0, MAX_AUTHOR_LENGTH).toWellFormed(),
    authoredAt: isTime ? at.toISOString() : null,
  }
}

/** The database column is untyped JSON. */
export const recordedCommit = ({ gitCommit }: { gitCommit: unknown }): GitCommit | null => gitCommit as GitCommit | null
