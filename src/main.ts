import pino from 'pino'
import { readConfig } from './config.ts'
import { type Platform, startPlatform } from './platform.ts'
import { welcome } from './welcome.ts'

const STOP_TIMEOUT_MS = 20_000
const SAME_SIGNAL_MS = 1_000

try {
  const config = readConfig(process.env)
  const log = pino({ level: config.BERTH_LOG_LEVEL })
  const platform = await startPlatform(config, log)
  process.stdout.write(welcome(config, platform, process.uptime()))
  stopOnSignals(platform)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  if (process.env.BERTH_LOG_LEVEL === 'debug') process.stderr.write(`${error instanceof Error ? error.stack : ''}\n`)
  process.exit(1)
}

/** The first signal stops in order; a later one, or the time, does not wait any longer. Apps keep running. */
function stopOnSignals(platform: Platform): void {
  let stoppingSince: number | null = null
  const stop = async (signal: NodeJS.Signals) => {
    // npm and process groups pass one signal on several times; a person who presses Ctrl-C again takes longer.
    if (stoppingSince !== null && performance.now() - stoppingSince < SAME_SIGNAL_MS) return
    if (stoppingSince !== null) process.exit(1)
    stoppingSince = performance.now()
    process.stdout.write(`\n${signal}: stopping. Your apps keep running.\n`)
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
    await platform.stop()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal))
}
