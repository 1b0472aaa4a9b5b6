import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { readableLine } from '../../src/platform/readable-line.mjs'
import { Refusal } from '../refusal.ts'

const TIMEOUT_MS = 60_000
/** A start sets up what an upgrade has changed. */
const START_MS = 25 * 60_000
const LINES_SHOWN = 15
const MAX_LINES_FOLLOWED = 200
const MAX_LINE_LENGTH = 200
const READY = /^\s*Berth is ready/

/** Whether systemd manages this machine, not only has its programs on it. */
export const hasSystemd = (): boolean => existsSync('/run/systemd/system')

/** Throws what systemctl says. */
export function systemctl(...args: string[]): void {
  const { status, stderr, error } = spawnSync('systemctl', args, { encoding: 'utf8', timeout: TIMEOUT_MS })
  if (status !== 0) throw new Refusal(`systemctl ${args.join(' ')}: ${stderr?.trim() || error?.message || status}`)
}

/** Starts or restarts a unit, shows what it says meanwhile, and waits until it is ready; throws with what it said last. */
export async function startUnit(verb: 'start' | 'restart', unit: string): Promise<void> {
  const following = followJournal(unit)
  const starting = spawn('systemctl', [verb, unit], { stdio: 'inherit', timeout: START_MS })
  const [status] = (await once(starting, 'close').finally(() => following.kill())) as [number | null]
  if (status !== 0) throw new Refusal(`${unit} does not start. It said last:\n${journalOf(unit, LINES_SHOWN)}`)
}

/** Prints the lines from now on, as for people, until Berth is ready: a first start takes minutes. */
function followJournal(unit: string): ChildProcess {
  const args = ['-u', unit, '-f', '-n', '0', '-o', 'cat', '--no-pager']
  const child = spawn('journalctl', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  // Without a journal, the unit starts all the same.
  child.on('error', () => {})
  let shown = 0
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    if (READY.test(line)) shown = MAX_LINES_FOLLOWED + 1
    else if (shown < MAX_LINES_FOLLOWED) console.log(`  ${asReadable(line)}`)
    else if (shown === MAX_LINES_FOLLOWED) console.log(`  … and more: journalctl -u ${unit} -f`)
    shown += 1
  })
  return child
}

function asReadable(line: string): string {
  try {
    return readableLine(JSON.parse(line)).trimEnd()
  } catch {
    return line.slice(0, MAX_LINE_LENGTH)
  }
}

/** Properties of a unit; empty where it has none of that name. */
export function askUnit<const Name extends string>(unit: string, names: readonly Name[]): Record<Name, string> {
  const args = ['show', unit, ...names.map((name) => `--property=${name}`)]
  const { stdout } = spawnSync('systemctl', args, { encoding: 'utf8', timeout: TIMEOUT_MS })
  const pairs = (stdout ?? '').split('\n').map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)])
  return { ...Object.fromEntries(names.map((name) => [name, ''])), ...Object.fromEntries(pairs) }
}

export function journalOf(unit: string, lines: number): string {
  try {
    return execFileSync('journalctl', ['-u', unit, '-n', `${lines}`, '--no-pager', '-o', 'cat'], {
      encoding: 'utf8',
    }).trim()
  } catch {
    return `(journalctl -u ${unit} says nothing)`
  }
}
