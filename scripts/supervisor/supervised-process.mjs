import { RestartPauses } from '../../src/platform/restart-pauses.mjs'

/** One process that is started again whenever it ends, until it is stopped. */
export class SupervisedProcess {
  roles
  isReady = false
  #options
  #pauses = new RestartPauses()
  #child = null
  #readySince = null
  #restart
  #isStopping = false

  /**
   * spawn: starts the process. onMessage(process, message). onEnd(process, end): whether it is to be started again,
   * where end has code, signal and pauseMs.
   */
  constructor(roles, options) {
    this.roles = roles
    this.#options = options
  }

  get isRunning() {
    return this.#child !== null
  }

  start() {
    if (this.#isStopping || this.#child) return
    const child = this.#options.spawn(this.roles)
    this.#child = child
    child.on('message', (message) => {
      if (message?.type === 'ready') this.#becomeReady()
      this.#options.onMessage(this, message)
    })
    // A message to a process that has just died is lost, as it would have been a moment later. One that could not be
    // started at all has no number, and never exits.
    child.on('error', () => child.pid === undefined && this.#ended(1, null))
    child.once('exit', (code, signal) => this.#ended(code, signal))
  }

  send(message) {
    if (this.#child?.connected) this.#child.send(message, () => {})
  }

  /** Asks it to end in order, and not to be started again. */
  stop() {
    this.#isStopping = true
    clearTimeout(this.#restart)
    this.send({ type: 'stop' })
  }

  kill() {
    this.stop()
    this.#child?.kill('SIGKILL')
  }

  #becomeReady() {
    this.isReady = true
    this.#readySince = performance.now()
  }

  #ended(code, signal) {
    if (!this.#child) return
    const readyForMs = this.#readySince === null ? 0 : performance.now() - this.#readySince
    this.#child = null
    this.#readySince = null
    this.isReady = false
    const pauseMs = this.#isStopping ? 0 : this.#pauses.next(readyForMs)
    const isWanted = this.#options.onEnd(this, { code, signal, pauseMs })
    if (isWanted && !this.#isStopping) this.#restart = setTimeout(() => this.start(), pauseMs)
  }
}
