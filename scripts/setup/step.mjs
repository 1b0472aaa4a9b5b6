import { spawn } from 'node:child_process'

/** A task for the person at the keyboard; printed without a stack. */
export class SetupError extends Error {}

/** Runs one step of the setup and prints, on one line, what it was and how long it took. */
export async function step(label, work) {
  const startedAt = Date.now()
  process.stdout.write(`  ${label} … `)
  try {
    const result = await work()
    process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`)
    return result
  } catch (error) {
    process.stdout.write('failed\n')
    throw error
  }
}

/** Runs a program quietly and returns its output; shows the last lines only when it fails. */
export async function runQuietly(command, args, { environment = {}, timeoutSeconds = 900 } = {}) {
  const child = spawn(command, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutSeconds * 1000,
  })
  let output = ''
  const keep = (chunk) => {
    output = (output + chunk).slice(-20_000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const end = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? code))
  })
  if (end === 0) return output
  const lastWords = output.trim().split('\n').slice(-20).join('\n')
  throw new SetupError(`${[command, ...args].join(' ')} failed (${end}):\n${lastWords}`)
}
