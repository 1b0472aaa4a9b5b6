import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const READY_TIMEOUT_MS = 90_000
const STOP_TIMEOUT_MS = 60_000

export interface RunningBerth {
  /** False when somebody else started it, so the demo must not stop it. */
  readonly isOurs: boolean
  stop(): Promise<void>
  /** Passes the terminal to Berth until it ends; returns its exit code. */
  handOver(): Promise<number>
}

/** Uses the Berth that answers at the address, or starts one and waits until it is ready. */
export async function ensureBerth(address: string): Promise<RunningBerth> {
  if ((await readiness(address)) === 'READY') return { isOurs: false, stop: async () => {}, handOver: async () => 0 }

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
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  for (let state = await readiness(address); state !== 'READY'; state = await readiness(address)) {
    // It ends when one that was started at the same time has its ports, and soon answers there.
    if (hasEnded() && state === 'ABSENT') throw new Error(`Berth did not start:\n${unseen}`)
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
  return {
    get isOurs() {
      return !hasEnded()
    },
    stop,
    handOver,
  }
}

/** Another program may answer at that address, but not with this body. */
async function readiness(address: string): Promise<'READY' | 'STARTING' | 'ABSENT'> {
  try {
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(2_000) })
    const { ready } = (await response.json()) as { ready?: boolean }
    return ready === true ? 'READY' : ready === false ? 'STARTING' : 'ABSENT'
  } catch {
    return 'ABSENT'
  }
}
