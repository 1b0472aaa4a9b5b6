import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { BERTH_PROGRAM } from '../../support/berth-program.ts'

const START_TIMEOUT_MS = 60_000
const LOG_END = 4_000

export interface ProcessOptions {
  name: string
  environment: Record<string, string>
  /** Where it answers /readyz. */
  port: number
  logFile: string
}

/** One Berth process that is started again whenever it dies, as an init system would. */
export class BerthProcess {
  readonly name: string
  /** Where it answers /readyz. */
  readonly port: number
  readonly logFile: string
  readonly #options: ProcessOptions
  #child: ChildProcess | null = null
  #isWanted = false
  deaths = 0

  constructor(options: ProcessOptions) {
    this.name = options.name
    this.port = options.port
    this.logFile = options.logFile
    this.#options = options
  }

  start(): void {
    this.#isWanted = true
    const { environment, logFile } = this.#options
    const { PATH, NODE_COMPILE_CACHE } = process.env
    const log = openSync(logFile, 'a')
    const child = spawn(process.execPath, BERTH_PROGRAM, {
      stdio: ['ignore', log, log],
      env: { PATH, NODE_COMPILE_CACHE, ...environment },
    })
    this.#child = child
    child.once('exit', () => {
      this.deaths += 1
      if (this.#isWanted) this.start()
    })
  }

  /** One that is not ready in time is ended, and the error carries the end of its log. */
  async ready(): Promise<void> {
    const until = Date.now() + START_TIMEOUT_MS
    while (Date.now() < until) {
      const answer = await fetch(`http://127.0.0.1:${this.#options.port}/readyz`).catch(() => null)
      await answer?.text()
      if (answer?.ok) return
      await pause(50)
    }
    await this.stop()
    const log = readFileSync(this.#options.logFile, 'utf8').slice(-LOG_END)
    throw new Error(`${this.name} is not ready after ${START_TIMEOUT_MS} ms and ${this.deaths} deaths: ${log}`)
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  /** Ends it for good. One that is paused or does not listen is killed. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#isWanted = false
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill(signal)
    const killing = setTimeout(() => child.kill('SIGKILL'), 15_000)
    await ended
    clearTimeout(killing)
  }
}
