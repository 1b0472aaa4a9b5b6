import pino, { type Logger } from 'pino'
import type { Config } from '../config/config.ts'

/** What is kept while nothing can be written, before the newest lines are dropped. */
const BACKLOG_BYTES = 4 * 1024 * 1024

/** The log on standard output. Where that goes may be full or gone: lines are lost then, and nothing else is. */
export function createLog(config: Pick<Config, 'BERTH_LOG_LEVEL'>): Logger {
  const destination = pino.destination({ fd: 1, sync: false, maxLength: BACKLOG_BYTES })
  destination.on('error', () => {})
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  return pino({ level: config.BERTH_LOG_LEVEL }, destination)
}
