/** Level that a line of a log gives itself. */
export type LogLevel = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' | 'FATAL'

const LEVELS: readonly LogLevel[] = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'FATAL']

/** As it is stored: from 1, the mildest, to 5. */
export const levelNumber = (level: LogLevel): number => LEVELS.indexOf(level) + 1

export const numberedLevel = (number: number | null): LogLevel | null => LEVELS[(number ?? 0) - 1] ?? null

/** The words of engines of managed services and of common loggers, in upper case; Redis has signs instead. */
const WORDS: Readonly<Record<string, LogLevel>> = {
  DEBUG: 'DEBUG',
  DEBUG1: 'DEBUG',
  DEBUG2: 'DEBUG',
  DEBUG3: 'DEBUG',
  DEBUG4: 'DEBUG',
  DEBUG5: 'DEBUG',
  DBG: 'DEBUG',
  TRACE: 'DEBUG',
  VERBOSE: 'DEBUG',
  TEST: 'DEBUG',
  D: 'DEBUG',
  D1: 'DEBUG',
  D2: 'DEBUG',
  D3: 'DEBUG',
  D4: 'DEBUG',
  D5: 'DEBUG',
  '.': 'DEBUG',
  '-': 'DEBUG',
  LOG: 'INFO',
  INFO: 'INFO',
  INFORMATION: 'INFO',
  INF: 'INFO',
  NOTICE: 'INFO',
  NOTE: 'INFO',
  SYSTEM: 'INFO',
  I: 'INFO',
  '*': 'INFO',
  WARNING: 'WARNING',
  WARN: 'WARNING',
  WRN: 'WARNING',
  W: 'WARNING',
  '#': 'WARNING',
  ERROR: 'ERROR',
  ERR: 'ERROR',
  SEVERE: 'ERROR',
  E: 'ERROR',
  FATAL: 'FATAL',
  PANIC: 'FATAL',
  DPANIC: 'FATAL',
  CRITICAL: 'FATAL',
  CRIT: 'FATAL',
  ALERT: 'FATAL',
  EMERGENCY: 'FATAL',
  EMERG: 'FATAL',
  F: 'FATAL',
}

const MAX_WORD = 20

/** Null for a word that names no level: it is never guessed. */
export function levelOfWord(word: string): LogLevel | null {
  if (word.length > MAX_WORD) return null
  const upper = word.toUpperCase()
  return Object.hasOwn(WORDS, upper) ? (WORDS[upper] ?? null) : null
}

/** Of loggers that write numbers, as Bunyan and Pino do: from 10, a trace, in steps of ten to 60, fatal. */
export function levelOfNumber(number: number): LogLevel | null {
  if (!(number >= 10 && number < 100)) return null
  return LEVELS[Math.max(1, Math.min(LEVELS.length, Math.floor(number / 10) - 1)) - 1] ?? null
}
