import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { RegistryCredential } from '../../src/engines/images/image-builder.ts'
import type {
  ContainerRuntime,
  ExecOptions,
  ExecResult,
  ObservedReplica,
  Rollout,
  Task,
} from '../../src/engines/runtime/container-runtime.ts'
import type { ContainerEngine } from '../../src/platform/container-engine.ts'

export interface EngineOptions {
  installationId: string
  callTimeoutSeconds?: number
  pullIdleSeconds?: number
}

export type Command = NonNullable<Rollout['command']>

/** Programs that the contracts run in containers. Each adapter brings an image with them. */
export interface TestPrograms {
  /** Prints "listening", answers every request to $PORT with 200 and "hello", and ends at SIGTERM. */
  server: Command
  /** Listens on 127.0.0.1:3000 and 0.0.0.0:3999, and prints "listening". */
  elsewhere: Command
  /** Prints one line of JSON: `memory` in bytes, `cores`, `directory` and `greeting` (of $GREETING); then waits. */
  confess: Command
  /** Exits with 3 after 150 ms. */
  crash: Command
  /** Takes memory until it is stopped. */
  hungry: Command
  /** Keeps a processor busy for 30 seconds. */
  busy: Command
  /** Prints "line 0" to "line 299", 20,000 times "ä", "to stderr" on stderr, and "the end" without a newline; then waits. */
  talker: Command
  /** Prints "tick 0", "tick 1", … every 50 ms. */
  ticker: Command
  /** Prints "deaf", and ignores SIGTERM. */
  deaf: Command
  /** Prints "polite", and exits with 0 at SIGTERM. */
  polite: Command
  /** Writes "kept" into /data/note and prints "done"; then waits. */
  writeNote: Command
  /** Prints what is in /data/note, or "nothing"; then waits. */
  readNote: Command
  /** Prints the file /app/message and the variable $GREETING, and exits with 0. For steps of builds. */
  announce: Command
  /** Exits with 3 at once. */
  fail: Command
  /** Prints "waiting", and does. */
  wait: Command
  /** Writes its input to its output, and exits with 0 at the end of the input. */
  copy: Command
  /** Writes as many blocks of 64 KiB as its argument says, each filled with its number modulo 251; exits with 0. */
  pour: Command
  /** Prints "said" on stdout, 3,000 lines that end in "to stderr" on stderr, and exits with 3. Reads no input. */
  grumble: Command
  /** Writes a higher number into /data/note every 20 ms; never ends, whatever becomes of its input and output. */
  beat: Command
  /** Prints the file that its argument names, or "nothing", and exits with 0. */
  show: Command
  /** Prints $GREETING, and exits with 0. */
  greet: Command
  /** Prints what http://$TARGET:3000/ answers, or "no answer" where that is no host of its network; then waits. */
  visit: Command
}

/** The ways in which an engine fails its callers. */
export type EngineFault =
  | 'absent'
  | 'refusing'
  | 'mute'
  | 'falls silent'
  | 'hangs up'
  | 'falls silent in logs'
  | 'falls silent in pulls'

export interface TestRegistry extends AsyncDisposable {
  /** Prefix of its images' names. It lets in one user only. */
  address: string
  credential: RegistryCredential
  /** Pushes an image with new content, which the engine does not have. Returns its digest. */
  publish(repository: string, tag: string): Promise<string>
  /** Stops it, as if its machine had crashed. */
  stop(): Promise<void>
}

/** What the contracts need of adapters in addition to the ports: instances of them, and direct access to the engine. */
export interface EngineHarness {
  /** Ensures that an image with the programs exists, and returns its name. */
  ensureImage(): Promise<string>
  programs: TestPrograms
  open(options: EngineOptions): ContainerEngine
  /** The same engine, reached over a connection that fails. */
  openFaulty(fault: EngineFault, options: EngineOptions): Promise<ContainerEngine & AsyncDisposable>
  /** Null, with a printed reason, if this machine has none. */
  startRegistry(): Promise<TestRegistry | null>
  /** Actions of an operator that bypass Berth. */
  byHand: Record<'kill' | 'stop' | 'remove' | 'disconnect', (containerId: string) => Promise<void>> & {
    removeImage(image: string): Promise<void>
    /** Disconnects every container, and removes the network of an account or a group. */
    removeNetwork(installationId: string, ownerId: string): Promise<void>
  }
  /** Removes an installation's containers without Berth's help, even after a failed test. */
  removeContainers(installationId: string): Promise<void>
  /** Removes everything else that it left behind, too. */
  cleanUp(installationId: string): Promise<void>
}

/** One installation of a test: its engine, and rollouts that do not collide with any other test's. */
export interface World extends ContainerEngine {
  installationId: string
  image: string
  rollout(change?: Partial<Rollout>): Rollout
  /** By default a copy of its input. */
  task(change?: Partial<Task>): Task
}

export const uniqueId = (prefix: string): string => `${prefix}_${randomBytes(13).toString('hex')}`

export function createWorld(harness: EngineHarness, image: string): World {
  const installationId = uniqueId('ins')
  const accountId = uniqueId('acc')
  const rollout = (change: Partial<Rollout> = {}): Rollout => ({
    accountId,
    appId: uniqueId('app'),
    appEnvId: uniqueId('env'),
    contentId: uniqueId('con'),
    rolloutId: uniqueId('op'),
    generation: 1,
    requestId: uniqueId('req'),
    version: 1,
    cliEnvName: 'default-shop-production',
    pinnedImage: image,
    volume: null,
    files: [],
    sandbox: null,
    settings: null,
    stopSeconds: null,
    group: null,
    command: harness.programs.server,
    workingDir: null,
    environment: { PORT: '3000' },
    port: 3000,
    replicas: 1,
    followers: null,
    resources: { cpu: 1, memoryMb: 256 },
    heldNetwork: 'NONE',
    ...change,
  })
  const task = (change: Partial<Task> = {}): Task => ({
    accountId,
    appId: uniqueId('app'),
    appEnvId: uniqueId('env'),
    operationId: uniqueId('op'),
    generation: 1,
    requestId: uniqueId('req'),
    purpose: 'test',
    pinnedImage: image,
    ...harness.programs.copy,
    environment: {},
    files: [],
    sandbox: null,
    volume: null,
    scratchPaths: [],
    network: 'NONE',
    resources: { cpu: 1, memoryMb: 256 },
    ...change,
  })
  return { installationId, image, rollout, task, ...harness.open({ installationId }) }
}

/** Reads every 50 ms until the claim holds; a failure shows the last value. */
export async function eventually<T>(read: () => Promise<T>, holds: (seen: T) => boolean, seconds = 60): Promise<T> {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const seen = await read()
    if (holds(seen)) return seen
    if (Date.now() > end) throw new Error(`Not within ${seconds} s; last seen: ${JSON.stringify(seen)}`)
    await pause(50)
  }
}

/** The one replica that a test expects. */
export async function onlyReplica(runtime: ContainerRuntime, appEnvId: string): Promise<ObservedReplica> {
  const replicas = await runtime.observe({ appEnvId })
  const [replica] = replicas
  if (!replica || replicas.length > 1) throw new Error(`Expected one replica, found ${replicas.length}`)
  return replica
}

/** A program with further arguments, as `exec` takes it. */
export function commandLine({ entrypoint, args }: Command, ...more: string[]): [string, ...string[]] {
  const [program = '', ...first] = entrypoint
  return [program, ...first, ...args, ...more]
}

/** Runs a command, and collects its output. */
export async function said(
  runtime: ContainerRuntime,
  name: string,
  command: [string, ...string[]],
  options: ExecOptions = {},
): Promise<ExecResult & { text: string }> {
  const chunks: Uint8Array[] = []
  const result = await runtime.exec(name, command, { ...options, output: (chunk) => void chunks.push(chunk) })
  return { ...result, text: Buffer.concat(chunks).toString('utf8') }
}
