import { spawn } from 'node:child_process'
import { delimiter, dirname } from 'node:path'

/** Hands the terminal over to a program, passes one signal of each kind on to it, and ends as it ends. */
export async function runProgram(node, args, environment = {}) {
  // Whatever the program starts in turn must find the same Node.js.
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`
  const child = spawn(node, args, { stdio: 'inherit', env: { ...process.env, ...environment, PATH } })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    let forwarded = false
    process.on(signal, () => {
      if (!forwarded) child.kill(signal)
      forwarded = true
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 143)))
  })
}
