import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { BERTH_PROGRAM, BERTH_SOURCE } from '../support/berth-program.ts'

const SUPERVISE = join(import.meta.dirname, '../../scripts/supervise.mjs')
const READY = /Berth is ready/

export interface BerthProcess {
  child: ChildProcess
  /** Everything it has printed so far. */
  said(): string
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>
  end(signal: NodeJS.Signals): Promise<void>
}

interface StartOptions {
  /** With the supervisor and its processes, instead of one process. */
  isSupervised?: boolean
  /** From the source, instead of the bundle. */
  isSource?: boolean
}

/** Berth in a process of its own, or in several, with these settings and no others. */
export function spawnBerth(settings: Record<string, string>, options: StartOptions = {}): BerthProcess {
  const { isSupervised = false, isSource = false } = options
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, HOME, NODE_COMPILE_CACHE, BERTH_HOST_FIREWALL: 'off', ...settings }
  const program = isSupervised ? [SUPERVISE] : isSource ? BERTH_SOURCE : BERTH_PROGRAM
  // A session of its own, as in a terminal of its own: Linux may share the processor between sessions first.
  const detached = isSupervised
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'pipe'], env, detached })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      text += chunk
    })
  }
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  return { child, said: () => text, ended, end }
}

/** The same, once it is ready. */
export async function startBerth(settings: Record<string, string>, options: StartOptions = {}): Promise<BerthProcess> {
  const berth = spawnBerth(settings, options)
  let hasEnded = false
  void berth.ended.then(() => {
    hasEnded = true
  })
  while (!READY.test(berth.said())) {
    if (hasEnded) throw new Error(`Berth ended instead of starting:\n${berth.said()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return berth
}
