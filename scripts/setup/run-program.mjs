import { spawn } from 'node:child_process'
import { delimiter, dirname } from 'node:path'

/** Passes the terminal to a program, and exits as it does. */
export async function runProgram(node, args, environment = {}) {
  // Child processes of the program must find the same Node.js.
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

/** One signal of each kind: to the program a second one means "stop faster". */
function passSignalsOn(child) {
  const sent = new Set()
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to every process in its foreground, including the program.
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
