import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Refusal } from '../refusal.ts'

const TIMEOUT_MS = 60_000
/** A start sets up what an upgrade has changed. */
const START_MS = 25 * 60_000
const LINES_SHOWN = 15

/** Whether systemd manages this machine, not only has its programs on it. */
export const hasSystemd = (): boolean => existsSync('/run/systemd/system')

/** Throws what systemctl says. */
export function systemctl(...args: string[]): void {
  const { status, stderr, error } = spawnSync('systemctl', args, { encoding: 'utf8', timeout: TIMEOUT_MS })
  if (status !== 0) throw new Refusal(`systemctl ${args.join(' ')}: ${stderr?.trim() || error?.message || status}`)
}

/** Starts or restarts a unit, and waits until it is ready; throws with what it said last. */
export function startUnit(verb: 'start' | 'restart', unit: string): void {
  const { status } = spawnSync('systemctl', [verb, unit], { stdio: 'inherit', timeout: START_MS })
  if (status !== 0) throw new Refusal(`${unit} does not start. It said last:\n${journalOf(unit, LINES_SHOWN)}`)
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
