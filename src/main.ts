import cluster from 'node:cluster'
import { flushCompileCache } from 'node:module'
import type { Logger } from 'pino'
import { type Config, readConfig } from './config/config.ts'
import { unknownSettings } from './config/unknown-settings.ts'
import { createLog } from './platform/log.ts'
import { type Platform, startPlatform } from './platform/platform.ts'
import { SupervisorLink } from './platform/supervisor-link.ts'
import { welcome } from './platform/welcome.ts'

const STOP_TIMEOUT_MS = 10_000
const SAME_SIGNAL_MS = 1_000

try {
  if (cluster.isWorker) (await import('./platform/ingress-processes/ingress-process.ts')).runIngressProcess()
  else await start()
  // Otherwise it is written at the end only, which a process that is killed does not have.
  flushCompileCache()
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  if (process.env.BERTH_LOG_LEVEL === 'debug') process.stderr.write(`${error instanceof Error ? error.stack : ''}\n`)
  process.exit(1)
}

async function start(): Promise<void> {
  const { config, link } = readStart()
  const log = createLog(config)
  if (!link || link.isFirst) warnOfUnknownSettings(log)
  const starting = startPlatform(config, log, link)
  const isStopping = stopOnRequest(starting, link)
  const platform = await starting
  if (!isStopping()) announce(platform, config, link)
}

/** The supervisor says which of the configured roles this process plays; without one, it plays them all. */
function readStart(): { config: Config; link: SupervisorLink | null } {
  const installation = readConfig(process.env)
  const own = process.argv.find((argument) => argument.startsWith('--roles='))?.slice('--roles='.length)
  if (own === undefined) return { config: installation, link: null }
  return { config: readConfig({ ...process.env, BERTH_ROLES: own }), link: new SupervisorLink(installation) }
}

/** What resembles no setting may be meant for another program, and so does not end the start. */
function warnOfUnknownSettings(log: Logger): void {
  const { ignored } = unknownSettings(process.env)
  if (ignored.length > 0) log.warn({ ignored }, 'Not settings of Berth, and without effect; see docs/configuration.md')
}

/** The welcome is printed once, when all processes are ready. */
function announce(platform: Platform, config: Config, link: SupervisorLink | null): void {
  if (!link) return void process.stdout.write(welcome(config, platform, process.uptime()))
  const { ingressUrl, ingressPort } = platform
  link.onWelcome = (facts, seconds) =>
    process.stdout.write(welcome(link.installation, { ...platform, ...facts }, seconds))
  link.reportReady(ingressUrl ? { ingressUrl, ingressPort } : {})
}

/** Some errors of the system have a code only. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || `Berth cannot start: ${(error as NodeJS.ErrnoException).code ?? error.name}`
}

/**
 * The first signal stops in order; a later one, or the time, does not wait any longer. Apps keep running. One that
 * comes during the start waits for its end, or the database would be left running unused.
 */
function stopOnRequest(starting: Promise<Platform>, link: SupervisorLink | null): () => boolean {
  let stoppingSince: number | null = null
  const stop = async () => {
    stoppingSince = performance.now()
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
    const platform = await starting
    await platform.stop()
    process.exit(0)
  }
  // A failed start is reported by the code that awaits it.
  const beginStop = () => void stop().catch(() => {})
  const onSignal = (signal: NodeJS.Signals) => {
    // npm and process groups pass one signal on several times; a person who presses Ctrl-C again takes longer.
    if (stoppingSince !== null && performance.now() - stoppingSince < SAME_SIGNAL_MS) return
    if (stoppingSince !== null) process.exit(1)
    process.stdout.write(`\n${signal}: stopping. Your apps keep running.\n`)
    beginStop()
  }
  const onRequest = () => void (stoppingSince === null && beginStop())
  if (link) {
    link.onStop = onRequest
    process.on('SIGTERM', onRequest)
  } else for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal)
  return () => stoppingSince !== null
}
