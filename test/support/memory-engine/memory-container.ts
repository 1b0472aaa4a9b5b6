import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { replicaName } from '../../../src/domain/replica-name.ts'
import type { CommandStreams } from '../../../src/engines/command-streams.ts'
import {
  type ExecOptions,
  type ExecResult,
  type Listening,
  type ObservedReplica,
  type ObservedRun,
  type ReplicaPhase,
  type ReplicaStats,
  type Rollout,
  type RunContainer,
  RuntimeError,
  runName,
  type Task,
  taskName,
} from '../../../src/engines/runtime/container-runtime.ts'
import { freePort } from '../free-ports.ts'
import { ContainerOutput } from './container-output.ts'
import { type FileMap, Files } from './files.ts'
import type { MemoryImage } from './images.ts'
import { MemoryCommand } from './memory-command.ts'
import { type ProcessEnd, type ProcessOptions, RunningProcess } from './running-process.ts'

const FIRST_RESTART_MS = 100
const MAX_RESTART_MS = 5_000
const BYTES_PER_MB = 1024 * 1024
const LOOPBACK = '127.0.0.1'

interface ContainerOptions {
  installationId: string
  rollout: Rollout
  index: number
  image: MemoryImage
  /** Set for one that is no replica: it is not restarted. */
  task: Task | null
  /** Set for one attempt of a run: it is not restarted either. */
  run: RunContainer | null
  volume: { path: string; files: FileMap } | null
  /** Null while it is not connected itself. */
  lookUp(host: string): { address: string; port: number } | null
  /** Whether its account's network holds it. */
  isConnected(): boolean
  /** Called when the container changes; with its end, when its process has ended. */
  onChange(end: ProcessEnd | null): void
}

/** One container: a program of its image that runs until it is stopped, and restarts whenever it ends. */
export class MemoryContainer {
  readonly id = randomBytes(32).toString('hex')
  readonly name: string
  readonly options: ContainerOptions
  readonly output = new ContainerOutput()
  phase: ReplicaPhase = 'created'
  port: number | null = null
  readonly #files: Files
  readonly #commands = new Map<MemoryCommand, string | undefined>()
  #process: RunningProcess | null = null
  /** Until the end of the process has been recorded. */
  #running: Promise<void> | null = null
  #starting: Promise<void> | null = null
  #restart: NodeJS.Timeout | undefined
  #restartCount = 0
  #isWanted = false
  #startedAt: Date | null = null
  #finishedAt: Date | null = null
  #end: ProcessEnd = { exitCode: 0, outOfMemory: false }

  constructor(options: ContainerOptions) {
    this.options = options
    const { rollout, index, task, run, image, volume } = options
    this.name = run ? runName(run) : task ? taskName(task) : replicaName(rollout, index)
    this.#files = new Files(image.files, volume)
    for (const { path, content } of rollout.files) this.#files.write(path, content)
  }

  /** Does nothing if it runs, or is about to restart. Throws CONTAINER_START_FAILED. */
  start(): Promise<void> {
    this.#isWanted = true
    if (this.phase === 'paused') this.unfreeze()
    if (this.phase === 'running' || this.phase === 'restarting') return Promise.resolve()
    this.#starting ??= this.#begin().finally(() => {
      this.#starting = null
    })
    return this.#starting
  }

  /** SIGTERM, and SIGKILL after the grace. It stays stopped. */
  async stop(graceSeconds: number): Promise<void> {
    this.#rest()
    this.killCommands()
    await this.#starting?.catch(() => {})
    const process = this.#process
    if (!process) return
    if (graceSeconds > 0) {
      const graceEnded = new AbortController()
      process.terminate()
      const grace = pause(graceSeconds * 1000, undefined, { signal: graceEnded.signal }).catch(() => {})
      await Promise.race([process.ended, grace])
      graceEnded.abort()
    }
    process.kill()
    await this.#running
  }

  /** Throws NOT_RUNNING. */
  freeze(): void {
    if (this.phase === 'paused') return
    if (this.phase !== 'running' || !this.#process) throw this.#notRunning()
    this.#process.freeze()
    this.phase = 'paused'
    this.options.onChange(null)
  }

  /** False: it runs already. Throws NOT_RUNNING. */
  unfreeze(): boolean {
    if (this.phase === 'running') return false
    if (this.phase !== 'paused') throw this.#notRunning()
    this.#process?.unfreeze()
    this.phase = 'running'
    this.options.onChange(null)
    return true
  }

  #notRunning(): RuntimeError {
    return new RuntimeError('NOT_RUNNING', `The container ${this.name} does not run: it is ${this.phase}`)
  }

  observe(): ObservedReplica {
    const { rollout, index } = this.options
    const { accountId, appId, appEnvId, contentId, rolloutId, generation } = rollout
    const isRunning = this.phase === 'running'
    const isThere = isRunning || this.phase === 'paused'
    const isConnected = this.options.isConnected()
    const hasEnded = this.phase === 'exited' || this.phase === 'restarting'
    return {
      name: this.name,
      containerId: this.id,
      accountId,
      appId,
      appEnvId,
      contentId,
      rolloutId,
      generation,
      index,
      phase: this.phase,
      address: isThere && isConnected ? LOOPBACK : null,
      port: isThere && isConnected ? this.port : null,
      hasOwnAddress: false,
      isConnected: isConnected || !isRunning,
      startedAt: this.#startedAt,
      finishedAt: this.#finishedAt,
      exitCode: hasEnded ? this.#end.exitCode : null,
      outOfMemory: this.#end.outOfMemory,
      restartCount: this.#restartCount,
    }
  }

  observeRun(): ObservedRun {
    const { name, containerId, appEnvId, phase, startedAt, finishedAt, exitCode, outOfMemory } = this.observe()
    const { runId = '', attempt = 0 } = this.options.run ?? {}
    return { name, containerId, appEnvId, phase, startedAt, finishedAt, exitCode, outOfMemory, runId, attempt }
  }

  stats(): ReplicaStats {
    const { cores, memoryBytes } = this.#process?.usage ?? { cores: 0, memoryBytes: 0 }
    return { cpuMillicores: Math.round(cores * 1000), memoryMb: Math.round(memoryBytes / BYTES_PER_MB) }
  }

  /** Null unless it runs. An image of programs declares no ports. */
  listening(): Listening | null {
    const { port } = this.options.rollout
    if (!this.#process) return null
    const own = this.#process.serves && port !== null ? [{ address: '0.0.0.0', port }] : []
    return { sockets: [...own, ...this.#process.elsewhere], declaredPorts: [] }
  }

  /** Runs a program beside its own, or instead of it. */
  async run(
    command: readonly string[],
    streams: CommandStreams,
    {
      key,
      environment,
      errors,
      terminal,
      onStarted,
    }: Pick<ExecOptions, 'key' | 'environment' | 'errors' | 'terminal' | 'onStarted'>,
    signal: AbortSignal,
  ): Promise<ExecResult> {
    const [path = '', ...args] = command
    const program = this.options.image.programs[path]
    if (!program) return { exitCode: 127, errorOutput: `There is no program ${path}` }
    if (key !== undefined) this.killCommands(key)
    const run = new MemoryCommand(program, {
      surroundings: { ...this.#surroundings(args), ...this.#with(environment), terminal: terminal ?? null },
      streams: { input: streams.input ?? null, output: streams.output, errors },
    })
    this.#commands.set(run, key)
    onStarted?.({
      resize: async (size) => run.process.resize(size),
      signal: async (name) => (name === 'KILL' ? run.process.kill() : run.process.terminate()),
    })
    return await run.result(signal).finally(() => this.#commands.delete(run))
  }

  /** Those of the key, or all of them. */
  killCommands(key?: string): void {
    for (const [command, own] of this.#commands) if (key === undefined || key === own) command.process.kill()
  }

  #with(environment: Record<string, string> = {}) {
    return { environment: { ...this.#environment, ...environment } }
  }

  get #environment(): Record<string, string> {
    return { ...this.options.image.config.environment, ...this.options.rollout.environment }
  }

  #surroundings(args: readonly string[]): Omit<ProcessOptions, 'write' | 'input' | 'send'> {
    const { rollout, image, lookUp } = this.options
    const { resources, workingDir, settings } = rollout
    return {
      args,
      environment: this.#environment,
      directory: workingDir ?? settings?.workingDir ?? image.config.directory,
      limits: { cores: resources.cpu, memoryBytes: resources.memoryMb * BYTES_PER_MB },
      files: this.#files,
      port: this.port,
      lookUp,
    }
  }

  async #begin(): Promise<void> {
    const { rollout, image } = this.options
    const [path = '', ...args] = commandOf(rollout.command, image)
    const program = image.programs[path]
    if (!program) {
      throw new RuntimeError('CONTAINER_START_FAILED', `The command of ${this.name} cannot be run: no program ${path}`)
    }
    if (rollout.port !== null) this.port ??= await freePort()
    if (!this.#isWanted) return
    this.output.open()
    this.#process = new RunningProcess(program, {
      ...this.#surroundings(args),
      write: (text, stream) => this.output.write(stream, text),
    })
    this.phase = 'running'
    this.#startedAt = new Date()
    this.#end = { exitCode: 0, outOfMemory: false }
    this.#running = this.#process.ended.then((end) => this.#ended(end))
    this.options.onChange(null)
  }

  #ended(end: ProcessEnd): void {
    this.#process = null
    this.#end = end
    this.#finishedAt = new Date()
    this.killCommands()
    this.output.close()
    if (this.options.task || this.options.run) this.#isWanted = false
    this.phase = this.#isWanted ? 'restarting' : 'exited'
    if (this.#isWanted) {
      const delayMs = Math.min(FIRST_RESTART_MS * 2 ** this.#restartCount, MAX_RESTART_MS)
      this.#restart = setTimeout(() => {
        this.#restartCount += 1
        this.#begin().catch(() => this.#rest())
      }, delayMs).unref()
    }
    this.options.onChange(end)
  }

  #rest(): void {
    this.#isWanted = false
    clearTimeout(this.#restart)
    if (this.phase === 'restarting') this.phase = 'exited'
  }
}

/** An entrypoint replaces the image's arguments too; arguments alone keep the image's entrypoint. */
export function commandOf(command: Rollout['command'], { config }: MemoryImage): readonly string[] {
  if (!command) return [...config.entrypoint, ...config.command]
  return [...(command.entrypoint.length > 0 ? command.entrypoint : config.entrypoint), ...command.args]
}
