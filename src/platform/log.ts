import pino, { type DestinationStream, type Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { loggedError } from './logged-error.ts'
import { createOutageHook } from './outage-lines.ts'
import { hasColours, isReadable, readableLine } from './readable-line.mjs'

/** What is kept while nothing can be written, before the newest lines are dropped. */
const BACKLOG_BYTES = 4 * 1024 * 1024

/**
 * The log on standard output: JSON, or lines for people on a terminal. Where that goes may be full or gone: lines are
 * lost then, and nothing else is.
 */
export function createLog(config: Pick<Config, 'BERTH_LOG_LEVEL' | 'BERTH_LOG_FORMAT' | 'BERTH_ROLES'>): Logger {
  const destination = pino.destination({ fd: 1, sync: false, maxLength: BACKLOG_BYTES })
  destination.on('error', () => {})
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  // Several processes write to one terminal.
  const name = config.BERTH_ROLES.join(',')
  const options = {
    level: config.BERTH_LOG_LEVEL,
    name,
    serializers: { err: loggedError },
    hooks: { logMethod: createOutageHook() },
  }
  return pino(options, isReadable(config.BERTH_LOG_FORMAT) ? readable(destination) : destination)
}

/** pino calls this before it writes a line. */
function readable(destination: DestinationStream): DestinationStream {
  const style = { hasColours: hasColours() }
  return { write: (line) => destination.write(readableLine(JSON.parse(line), style)) }
}
