import { spawn } from 'node:child_process'
import { showProgress } from './progress.mjs'

/** A task for the person at the keyboard; printed without a stack. */
export class SetupError extends Error {}

/**
 * Runs one step of the setup and prints what it is, how long it takes, and how far it is: `state` returns that in a few
 * words.
 */
export async function step(label, work, state = () => '') {
  const progress = showProgress(label, state)
  try {
    const result = await work()
    progress.end('')
    return result
  } catch (error) {
    progress.end('failed')
    throw error
  }
}

/** Runs a program quietly and returns its output; shows the last lines only when it fails. */
export async function runQuietly(
  command,
  args,
  { environment = {}, timeoutSeconds = 900, onLine = () => {}, onStart = () => {} } = {},
) {
  const child = spawn(command, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutSeconds * 1000,
  })
  onStart(child)
  let output = ''
  const keep = (chunk) => {
    output = (output + chunk).slice(-20_000)
    onLine(linesOf(output).at(-1))
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const end = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? code))
  })
  if (end === 0) return output
  const lastWords = linesOf(output).slice(-20).join('\n')
  throw new SetupError(`${[command, ...args].join(' ')} failed (${end}):\n${lastWords}`)
}

/**
 * The lines of an output as a terminal would show them. apt and npm go back to the start of a line with a carriage return
 * and write over it; kept, it would make our own line jump as well.
 */
const linesOf = (output) =>
  output
    .trim()
    .split('\n')
    .map((line) => line.trimEnd().split('\r').at(-1))
