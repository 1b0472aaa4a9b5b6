/** What a person can mend about a file or a folder, by the error’s code. */
const FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'this user lacks the permission',
  EPERM: 'this user lacks the permission',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the quota of its disk is used up',
  EIO: 'its disk reports an error',
  ENOENT: 'it cannot be made there',
  ENOTDIR: 'part of its path is a file',
  EEXIST: 'it is a file',
  EISDIR: 'it is a folder',
}

/** Null for other errors. */
export const faultInWords = (error: unknown): string | null =>
  FAULTS[(error as NodeJS.ErrnoException | null)?.code ?? ''] ?? null

export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException | null)?.code ?? '')
