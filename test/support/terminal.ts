import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

const POLL_MS = 20
/** A bound on a hang. */
const TIMEOUT_MS = 180_000
/** With them a terminal says, and is told, that what comes is pasted. */
const PASTE = { begins: '\x1b[200~', ends: '\x1b[201~' }
/** A line editor asks for such marks as soon as it reads a line, and no longer while a command runs. */
const READS = '\x1b[?2004h'
const RUNS = '\x1b[?2004l'
// Colours, movements of the cursor and titles.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these begin with a control character
const SEQUENCE = /\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>])/g

export const isInstalled = (program: string): boolean =>
  spawnSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0

/** The `script` of other systems has other options. */
export const hasTerminals =
  isInstalled('script') && /util-linux/.test(execFileSync('script', ['--version'], { encoding: 'utf8' }))
if (!hasTerminals) console.warn('Skipped: terminals need the program script of util-linux')

/** What a person would read of it. */
export const withoutSequences = (text: string): string => text.replace(SEQUENCE, '').replaceAll('\r', '')

interface Place {
  cwd?: string
  env?: Record<string, string>
}

/** A program on a pseudo-terminal of its own, by `script` of util-linux. */
export class Terminal implements AsyncDisposable {
  readonly #script: ChildProcess
  #said = ''

  constructor(command: string, { cwd, env = {} }: Place = {}) {
    this.#script = spawn('script', ['-qefc', `stty cols 120 rows 40; exec ${command}`, '/dev/null'], {
      ...(cwd ? { cwd } : {}),
      env: { ...process.env, NO_COLOR: '', TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#script.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#said += chunk
    })
    this.#script.stdin?.on('error', () => {})
  }

  /** Everything so far, with its control sequences. */
  get said(): string {
    return this.#said
  }

  /** The program's exit code, or null while it runs. */
  get exitCode(): number | null {
    return this.#script.exitCode
  }

  type(text: string): void {
    this.#script.stdin?.write(text)
  }

  /** Waits until it has said something, after an offset; where that ends. */
  async until(text: string | RegExp, from = 0): Promise<number> {
    const deadline = performance.now() + TIMEOUT_MS
    for (;;) {
      const rest = this.#said.slice(from)
      const at = typeof text === 'string' ? rest.indexOf(text) : rest.search(text)
      if (at >= 0) return from + at + (typeof text === 'string' ? text.length : 0)
      if (this.exitCode !== null) throw new Error(`The program ended with ${this.exitCode}:\n${this.#said}`)
      if (performance.now() > deadline) throw new Error(`Never said ${text}:\n${this.#said}`)
      await pause(POLL_MS)
    }
  }

  async ended(): Promise<number | null> {
    if (this.exitCode === null && this.#script.signalCode === null) await once(this.#script, 'exit')
    return this.exitCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.exitCode === null && this.#script.signalCode === null) this.#script.kill('SIGKILL')
    await this.ended()
  }
}

/** An interactive shell into which blocks are pasted, as terminals of today do it. */
export class Shell extends Terminal {
  #seen = 0

  /** Without start-up files, and without the mark with which zsh makes sure of a new line. */
  static readonly COMMANDS = { bash: 'bash --norc --noprofile -i', zsh: 'zsh -f -i -o no_prompt_sp' } as const

  constructor(name: keyof typeof Shell.COMMANDS, place: Place) {
    super(Shell.COMMANDS[name], { ...place, env: { ...place.env, PS1: '' } })
  }

  /** Pastes text and presses Enter; what the commands said, and the last one's exit code. */
  async paste(text: string): Promise<{ output: string; code: number }> {
    const output = await this.#run(`${PASTE.begins}${text.trimEnd()}${PASTE.ends}`)
    return { output, code: Number(await this.#run('echo $?')) }
  }

  /** Pastes a command that goes on until it is interrupted. */
  async begin(text: string): Promise<void> {
    this.#seen = await this.until(READS, this.#seen)
    this.type(`${PASTE.begins}${text.trimEnd()}${PASTE.ends}\r`)
  }

  /** Presses Ctrl-C and waits until the command has ended. */
  async interrupt(): Promise<void> {
    this.type('\x03')
    this.#seen = (await this.until(READS, this.#seen)) - READS.length
  }

  async #run(text: string): Promise<string> {
    this.#seen = await this.until(READS, this.#seen)
    this.type(`${text}\r`)
    const begins = await this.until(RUNS, this.#seen)
    const ends = await this.until(READS, begins)
    // The next command waits for the same prompt.
    this.#seen = ends - READS.length
    return withoutSequences(this.said.slice(begins, this.#seen)).trim()
  }
}
