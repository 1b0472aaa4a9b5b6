import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const SCRIPT = join(import.meta.dirname, 'debian-machine.sh')
/** Where nothing helps to virtualize, all takes 15 to 25 times as long. */
const COMMAND_MS = 30 * 60_000

/** Why this machine can run no other one; null when it can. */
export function machineProblem(): string | null {
  if (process.getuid?.() !== 0) return 'only root can make the image of a server'
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the server is a Linux on x64'
  return spawnSync('which', ['apt-get']).status === 0 ? null : 'this is no Debian, whose packages the server has'
}

/** A server of its own, to be cut off from power. */
export class DebianMachine {
  readonly #settings: NodeJS.ProcessEnv

  constructor(settings: { folder?: string; memory?: string } = {}) {
    this.#settings = {
      ...(settings.folder ? { FOLDER: settings.folder } : {}),
      ...(settings.memory ? { MEMORY: settings.memory } : {}),
    }
  }

  /** Until it answers. */
  up(): void {
    this.#run(['up'])
  }

  reboot(): void {
    this.#run(['reboot'])
  }

  /** As a power cut. */
  cut(): void {
    this.#run(['cut'])
  }

  /** And forgets all that was written. */
  down(): void {
    this.#run(['down'])
  }

  /** What a line of its shell prints. */
  run(line: string): string {
    return this.#run(['in', line])
  }

  /** The same, whether it succeeds or not. */
  attempt(line: string): string {
    return this.#run(['in', `{ ${line}; } 2>&1 || true`])
  }

  /** Lets a line run on. */
  begin(line: string): void {
    const child = spawn(SCRIPT, ['in', line], { env: { ...process.env, ...this.#settings }, stdio: 'ignore' })
    child.on('error', () => {})
    child.unref()
  }

  /** The standard input of a line of its shell. */
  async send(line: string, content: NodeJS.ReadableStream): Promise<void> {
    const env = { ...process.env, ...this.#settings }
    const child = spawn(SCRIPT, ['in', line], { env, stdio: ['pipe', 'ignore', 'inherit'], timeout: COMMAND_MS })
    const ended = once(child, 'exit')
    await pipeline(content, child.stdin)
    const [code] = await ended
    if (code !== 0) throw new Error(`${line}: ended with ${code}`)
  }

  /** Puts a folder with its content there. */
  put(folder: string, into: string): void {
    const packed = `tar -cf - -C '${folder}' . | '${SCRIPT}' put '${into}'`
    this.#answer(spawnSync('sh', ['-c', packed], this.#options()), `put ${folder}`)
  }

  #run(args: readonly string[]): string {
    return this.#answer(spawnSync(SCRIPT, args, this.#options()), args.join(' '))
  }

  #options() {
    const env = { ...process.env, ...this.#settings }
    return { env, encoding: 'utf8' as const, timeout: COMMAND_MS, maxBuffer: 64 * 1024 * 1024 }
  }

  #answer(result: { status: number | null; stdout: string; stderr: string }, what: string): string {
    if (result.status === 0) return result.stdout.trim()
    throw new Error(
      `${what}: ended with ${result.status}\n${result.stdout.slice(-2_000)}\n${result.stderr.slice(-2_000)}`,
    )
  }
}
