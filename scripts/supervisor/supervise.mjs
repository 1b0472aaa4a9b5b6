import { spawn } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileCacheOf, programOf } from '../setup/compiled-code.mjs'
import { chosenIngressPort } from './ingress-port.mjs'
import { createLog } from './log.mjs'
import { notifyService, WITHOUT_SERVICE } from './notify.mjs'
import { lowerPriority, raisePriority } from './priority.mjs'
import { isBesideIngress, processGroups } from './process-groups.mjs'
import { SupervisedProcess } from './supervised-process.mjs'
import { withheldFrom } from './withheld-settings.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** After this long everything is ended, whatever it is doing. */
const STOP_MS = 10_000
/** How much of that time the other processes have before the ingress begins to drain, which takes five seconds. */
const INGRESS_STOPS_AFTER_MS = 4_000
const SAME_SIGNAL_MS = 1_000
/** Memory for what lives shortly: the default of 16 MB costs 60 MB per process, and saves little work. */
const YOUNG_GENERATION_MB = 4

/**
 * Runs Berth in one process per group of roles and starts again whatever dies. Returns the exit code, once all have
 * ended. Before everything was ready for the first time, a process that ends by itself has said what hinders it, and
 * ends the whole. `onReady` is called when that is over.
 */
export function supervise(node, environment = {}, onReady = () => {}) {
  const startedAt = performance.now()
  const log = createLog(process.env.BERTH_LOG_LEVEL, process.env.BERTH_LOG_FORMAT)
  const { promise, resolve } = Promise.withResolvers?.() ?? withResolvers()
  let exitCode = 0
  let stoppingSince = null
  let hasBeenReady = false
  /** What other processes have told, for the welcome. */
  const facts = {}
  let chosen = {}

  // The same for every restart, whatever is installed meanwhile.
  const program = programOf(ROOT)
  const groups = processGroups(process.env.BERTH_ROLES)
  const processes = groups.map((roles) => new SupervisedProcess(roles, { spawn: spawnRoles, onMessage, onEnd }))
  const [first, ...others] = processes

  function spawnRoles(roles) {
    // Child processes of the program must find the same Node.js.
    const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`
    // A process that died is back sooner from compiled code, and smaller without the compiler of TypeScript.
    const NODE_COMPILE_CACHE = compileCacheOf(ROOT)
    const flags = ['--disable-warning=DeprecationWarning', `--max-semi-space-size=${YOUNG_GENERATION_MB}`]
    const isFirst = processes.every(({ isRunning }) => !isRunning)
    const args = [`--roles=${roles.join(',')}`, ...(isFirst ? ['--first'] : [])]
    const child = spawn(node, [...flags, program, ...args], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      // Linux may share the processor between sessions first: in its own, the ingress does not share with the others.
      detached: groups.length > 1 && !isBesideIngress(roles, groups),
      env: {
        ...process.env,
        ...environment,
        ...chosen,
        ...withheldFrom(roles),
        ...WITHOUT_SERVICE,
        PATH,
        NODE_COMPILE_CACHE,
      },
    })
    if (isBesideIngress(roles, groups)) lowerPriority(child)
    else if (groups.length > 1) raisePriority(child)
    return child
  }

  function onMessage(from, message) {
    if (message.type === 'database' && stoppingSince === null) for (const other of others) other.start()
    if (message.type === 'ask') relayQuestion(from, message)
    if (message.type === 'answer') processes[message.to]?.send(message)
    if (message.type !== 'ready') return
    Object.assign(facts, message.facts)
    if (hasBeenReady) log.info({ roles: from.roles }, 'The process is ready again')
    else if (processes.every(({ isReady }) => isReady)) welcome()
  }

  /** One process asks the other; without an answer, it knows that there is none. */
  function relayQuestion(from, { id, question }) {
    const other = processes.find((one) => one !== from && one.isReady)
    const to = processes.indexOf(from)
    if (other) other.send({ type: 'ask', id, question, to })
    else from.send({ type: 'answer', id, isAway: true })
  }

  function welcome() {
    hasBeenReady = true
    notifyService('READY=1')
    onReady()
    first.send({ type: 'welcome', facts, seconds: (performance.now() - startedAt) / 1000 })
  }

  function onEnd({ roles }, { code, signal, pauseMs }) {
    if (stoppingSince !== null) {
      exitCode ||= code ?? 1
      stopNext()
      return false
    }
    if (!hasBeenReady && code !== null) {
      exitCode = code
      stop()
      return false
    }
    log.warn({ roles, code, signal, pauseMs: Math.round(pauseMs) }, 'A process has ended; it is started again')
    return true
  }

  function stop() {
    stoppingSince = performance.now()
    notifyService('STOPPING=1')
    first.stop()
    setTimeout(() => others.forEach((other) => void other.stop()), INGRESS_STOPS_AFTER_MS).unref()
    setTimeout(killAll, STOP_MS).unref()
    stopNext()
  }

  /** The ingress last: running apps are reachable for longer, and a database of Berth's own is there to the end. */
  function stopNext() {
    if (first.isRunning) return
    for (const other of others) other.stop()
    if (processes.every(({ isRunning }) => !isRunning)) resolve(exitCode)
  }

  function killAll() {
    exitCode = 1
    for (const one of processes) one.kill()
    resolve(exitCode)
  }

  function stopOnSignal(signal) {
    // npm and process groups pass one signal on several times; a person who presses Ctrl-C again takes longer.
    if (stoppingSince !== null && performance.now() - stoppingSince < SAME_SIGNAL_MS) return
    if (stoppingSince !== null) return killAll()
    process.stdout.write(`\n${signal}: stopping. Your apps keep running.\n`)
    stop()
  }

  // Where the output goes may be gone, which is no reason to end.
  process.stdout.on('error', () => {})
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stopOnSignal(signal))
  onParentEnd(() => stoppingSince === null && stop())
  // What hinders it hinders the ingress as well, which says so better.
  const choosing = chosenIngressPort({ ...process.env, ...environment }).catch(() => ({}))
  void choosing.then((settings) => {
    chosen = settings
    first.start()
  })
  return promise
}

/** A killed npm does not signal its children: an orphaned Berth would keep its ports. */
function onParentEnd(callback) {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    callback()
  }, 1_000)
  watch.unref()
}

/** Node.js 20 has no Promise.withResolvers. */
function withResolvers() {
  let resolve
  const promise = new Promise((done) => {
    resolve = done
  })
  return { promise, resolve }
}
