const CODES = ['ENOSPC', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'EDQUOT']

/** A problem of this machine says nothing about the source, and may be gone by a later attempt. */
export const isDiskTrouble = (error: unknown): boolean => CODES.includes((error as NodeJS.ErrnoException).code ?? '')
