import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { oneAtATime } from '../setup/one-at-a-time.mjs'

const ROOT = join(import.meta.dirname, '../..')
const READY_TIMEOUT_MS = 90_000
const STOP_TIMEOUT_MS = 60_000

export interface RunningBerth {
  /** False when it was running before, so the demo must not stop it. */
  isOurs: boolean
  stop(): Promise<void>
  /** Passes the terminal to Berth until it ends; returns its exit code. */
  handOver(): Promise<number>
}

/** Uses the Berth that answers at the address, or starts one and waits until it is ready. */
export async function ensureBerth(address: string): Promise<RunningBerth> {
  let berth: RunningBerth = { isOurs: false, stop: async () => {}, handOver: async () => 0 }
  const start = async () => {
    berth = await startBerth(address)
  }
  await oneAtATime(ROOT, () => isReady(address), start)
  return berth
}

async function startBerth(address: string): Promise<RunningBerth> {
  // Its output ends on this process's terminal, if there is one.
  const format = process.stdout.isTTY && !process.env.BERTH_LOG_FORMAT ? { BERTH_LOG_FORMAT: 'text' } : {}
  const child = spawn(process.execPath, [join(import.meta.dirname, '../supervise.mjs')], {
    stdio: ['inherit', 'pipe', 'pipe'],
    env: { ...process.env, ...format },
  })
  // Berth's output is shown only when it fails, or once the demo has finished.
  let unseen = ''
  const keep = (chunk: Buffer) => {
    unseen += chunk
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const ended = once(child, 'exit').then(([code]) => Number(code ?? 1))

  const stop = async () => {
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await ended
    clearTimeout(late)
  }
  // The terminal's Ctrl-C has reached Berth already, so only wait for it.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  process.once('SIGTERM', () => child.kill('SIGTERM'))

  const deadline = Date.now() + READY_TIMEOUT_MS
  while (!(await isReady(address))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`Berth did not start:\n${unseen}`)
    if (Date.now() > deadline) {
      await stop()
      throw new Error(`Berth was not ready within ${READY_TIMEOUT_MS / 1000} s:\n${unseen}`)
    }
    await sleep(100)
  }
  const handOver = () => {
    child.stdout.off('data', keep).pipe(process.stdout)
    child.stderr.off('data', keep).pipe(process.stderr)
    return ended
  }
  return { isOurs: true, stop, handOver }
}

/** Another program may answer at that address, but not with this body. */
async function isReady(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(2_000) })
    return ((await response.json()) as { ready?: boolean }).ready === true
  } catch {
    return false
  }
}
