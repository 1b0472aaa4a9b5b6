import { flushCompileCache } from 'node:module'
import { readConfig } from './config/config.ts'
import { createLog } from './platform/log.ts'
import { type Platform, startPlatform } from './platform/platform.ts'
import { welcome } from './platform/welcome.ts'

const STOP_TIMEOUT_MS = 10_000
const SAME_SIGNAL_MS = 1_000

try {
  const config = readConfig(process.env)
  const log = createLog(config)
  const starting = startPlatform(config, log)
  const isStopping = stopOnSignals(starting)
  const platform = await starting
  // Where Node.js keeps compiled modules (NODE_COMPILE_CACHE), it would do so at a regular exit only.
  flushCompileCache()
  if (!isStopping()) process.stdout.write(welcome(config, platform, process.uptime()))
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  if (process.env.BERTH_LOG_LEVEL === 'debug') process.stderr.write(`${error instanceof Error ? error.stack : ''}\n`)
  process.exit(1)
}

/** Some errors of the system have a code only. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || `Berth cannot start: ${(error as NodeJS.ErrnoException).code ?? error.name}`
}

/**
 * The first signal stops in order; a later one, or the time, does not wait any longer. Apps keep running. One that
 * comes during the start waits for its end, or the database would be left running without anybody who uses it.
 */
function stopOnSignals(starting: Promise<Platform>): () => boolean {
  let stoppingSince: number | null = null
  const stop = async (signal: NodeJS.Signals) => {
    // npm and process groups pass one signal on several times; a person who presses Ctrl-C again takes longer.
    if (stoppingSince !== null && performance.now() - stoppingSince < SAME_SIGNAL_MS) return
    if (stoppingSince !== null) process.exit(1)
    stoppingSince = performance.now()
    process.stdout.write(`\n${signal}: stopping. Your apps keep running.\n`)
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
    const platform = await starting
    await platform.stop()
    process.exit(0)
  }
  // A failed start is reported by the code that awaits it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal).catch(() => {}))
  return () => stoppingSince !== null
}
