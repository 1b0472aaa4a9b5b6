import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** A Docker Engine of Debian's packages, beside this machine's own. */
export interface DebianEngine {
  /** The suite of Debian that has it. */
  suite: string
  /** Of dockerd. */
  options: string
  /** The oldest version of the API that it accepts; the engine's own bound when omitted. */
  oldestApi?: string
}

export interface RunningEngine extends Disposable {
  socketPath: string
  /** The arguments that run a command where the containers of this engine are reached. */
  inside(command: readonly string[]): string[]
  environment: NodeJS.ProcessEnv
}

const SCRIPT = join(import.meta.dirname, 'debian-engine.sh')
const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg'
const PROGRAMS = ['apt-get', 'curl', 'dpkg-deb', 'ip', 'nsenter', 'pgrep', 'unshare']
const START_TIMEOUT_MS = 15 * 60_000

/** Why this machine cannot have one; null when it can. */
export function debianEngineProblem(): string | null {
  if (process.getuid?.() !== 0) return 'only root can start a container engine'
  if (!existsSync(KEYS)) return 'this is no Debian'
  const missing = PROGRAMS.find((program) => spawnSync('which', [program]).status !== 0)
  return missing ? `${missing} is not installed` : null
}

/** Gets its packages when this machine does not have them yet, and starts it. Throws what the script says. */
export function startDebianEngine({ suite, options, oldestApi = '' }: DebianEngine): RunningEngine {
  const folder = join('/var/cache/berth-test-engines', suite)
  const environment = {
    ...process.env,
    SUITE: suite,
    FOLDER: folder,
    NAME: 'berth-test',
    NETWORK: '10.98.74',
    OWNER: `${process.pid}`,
    OPTIONS: options,
    MIN_API: oldestApi,
    BERTH_TEST_ENGINE: suite,
  }
  const run = (command: string) =>
    spawnSync(SCRIPT, [command], {
      env: environment,
      encoding: 'utf8',
      timeout: START_TIMEOUT_MS,
    })
  const { status, stderr, error } = run('up')
  if (status !== 0) {
    run('down')
    throw new Error(`it does not start: ${error?.message ?? stderr.trim().split('\n').slice(-5).join('; ')}`)
  }
  return {
    socketPath: join(folder, 'docker.sock'),
    inside: (command) => [SCRIPT, 'in', ...command],
    environment,
    [Symbol.dispose]: () => void run('down'),
  }
}
