import { spawn } from 'node:child_process'
import { delimiter, dirname } from 'node:path'

/** Hands the terminal over to a program, and ends as it ends. */
export async function runProgram(node, args, environment = {}) {
  // Whatever the program starts in turn must find the same Node.js.
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`
  // Deprecation warnings of libraries concern developers, not users of Berth.
  const child = spawn(node, ['--disable-warning=DeprecationWarning', ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...environment, PATH },
  })
  passSignalsOn(child)
  endWithParent(child)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 143)))
  })
}

/** One signal of each kind: to the program a second one means to hurry. */
function passSignalsOn(child) {
  const sent = new Set()
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to every process in its foreground, to the program too.
      if (sent.has(signal) || (signal === 'SIGINT' && process.stdin.isTTY)) return
      sent.add(signal)
      child.kill(signal)
    })
  }
}

/** A killed npm does not signal its children: an orphaned Berth would keep its ports. */
function endWithParent(child) {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    child.kill('SIGTERM')
  }, 1_000)
  watch.unref()
}
