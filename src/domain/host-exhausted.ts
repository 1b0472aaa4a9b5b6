// No descriptor left in the process or on the machine, no local port left, no memory for a socket.
const CODES = new Set(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM'])

/** Whether a system error says that this machine has run out of something, and nothing about the other end. */
export const isHostExhausted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CODES.has(String(error.code))

/** What to say instead of blaming the other end. */
export const exhaustedWords = (error: unknown): string =>
  `Berth's own machine can open no more connections (${error instanceof Error ? error.message : String(error)}); raise its limit of open files`
