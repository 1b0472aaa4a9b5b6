import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import { pack } from 'tar-stream'
import type {
  Engine,
  EngineCommand,
  EngineContainer,
  EngineCredentials,
  EngineVersion,
} from '../../../src/app-types/engines/engine.ts'
import { engineFacts, type SettingValue } from '../../../src/app-types/engines/engines.ts'

const READY_TIMEOUT_MS = 180_000
/** Each question runs a program in the container, which the server waits for. */
const MAX_PAUSE_MS = 1_000
const OPEN_FILES = Number(/^Max open files +\d+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
const MEMORY_BYTES = 512 * 1024 ** 2

export interface Outcome {
  code: number
  stdout: Buffer
  stderr: string
}

export interface CommandInput {
  stdin?: Buffer
  environment?: Readonly<Record<string, string>>
}

export const newCredentials = (user: string): EngineCredentials => ({
  user,
  password: `canary-${randomBytes(18).toString('base64url')}`,
  adminPassword: `canary-${randomBytes(18).toString('base64url')}`,
})

/** Containers of one engine, each made from its description and nothing else. */
export class EngineWorld implements AsyncDisposable {
  readonly docker = new Docker()
  readonly #name = `engine-test-${randomBytes(4).toString('hex')}`
  readonly #containers = new Set<string>()
  readonly #volumes = new Set<string>()
  readonly engine: Engine
  readonly version: EngineVersion
  /** Others have their defaults. */
  settings: Readonly<Record<string, SettingValue>> = {}
  #created = 0
  #isOpen = false

  constructor(engine: Engine, version: EngineVersion) {
    this.engine = engine
    this.version = version
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.#containers) await this.docker.getContainer(id).remove({ force: true, v: true })
    for (const volume of this.#volumes) await this.docker.getVolume(volume).remove({ force: true })
    if (this.#isOpen) await this.docker.getNetwork(this.#name).remove()
  }

  async open(): Promise<this> {
    await this.docker.createNetwork({ Name: this.#name })
    this.#isOpen = true
    return this
  }

  /** A new volume, which belongs to the user as Berth has it. */
  async volume(): Promise<string> {
    const name = `${this.#name}-${this.#created++}`
    this.#volumes.add(name)
    await this.docker.createVolume({ Name: name })
    await this.#finish(['chown', this.engine.hardening.user, '/volume'], { volume: name, at: '/volume', user: '0:0' })
    return name
  }

  describe(credentials: EngineCredentials): EngineContainer & { dataPath: string } {
    const facts = engineFacts(this.engine, this.version, credentials, this.settings)
    return { ...this.engine.container(facts), dataPath: facts.dataPath }
  }

  /** Runs the engine as its description says. */
  async run(volume: string, credentials: EngineCredentials): Promise<RunningEngine> {
    const { dataPath, arguments: args, environment, files } = this.describe(credentials)
    // A read-only root takes files only where a volume is.
    const folders = this.engine.hardening.readOnlyRoot ? [...new Set(files.map(({ path }) => dirname(path)))] : []
    const container = await this.#create({
      Cmd: [...args],
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      Volumes: Object.fromEntries(folders.map((folder) => [folder, {}])),
      HostConfig: { ...this.#hardening(), Binds: [`${volume}:${dataPath}`] },
    })
    for (const file of files) await container.putArchive(this.#archive(file), { path: dirname(file.path) })
    await container.start()
    return new RunningEngine(this, container)
  }

  /** A container on the same network whose programs are the engine's clients. */
  async client(): Promise<RunningEngine> {
    const container = await this.#create({ Entrypoint: ['sleep', 'infinity'], HostConfig: this.#hardening() })
    await container.start()
    return new RunningEngine(this, container)
  }

  /** A command in a container of the same image, user and volume, without the engine. */
  finish(command: EngineCommand, volume: string, input: CommandInput = {}): Promise<Outcome> {
    const at = this.version.dataPath ?? this.engine.dataPath
    return this.#finish(command, { volume, at, user: this.engine.hardening.user }, input)
  }

  async #finish(
    command: readonly string[],
    { volume, at, user }: { volume: string; at: string; user: string },
    input: CommandInput = {},
  ): Promise<Outcome> {
    const container = await this.#create({
      Entrypoint: [...command],
      User: user,
      Env: Object.entries(input.environment ?? {}).map(([name, value]) => `${name}=${value}`),
      OpenStdin: true,
      StdinOnce: true,
      HostConfig: {
        ...this.#hardening(),
        ...(user === '0:0' && { CapAdd: ['CHOWN'] }),
        Binds: [`${volume}:${at}`],
      },
    })
    const stream = await container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true })
    const output = this.collect(stream)
    await container.start()
    stream.end(input.stdin ?? '')
    const [{ StatusCode }, collected] = await Promise.all([container.wait(), output])
    await this.remove(container)
    return { code: StatusCode, ...collected }
  }

  async remove(container: Docker.Container): Promise<void> {
    this.#containers.delete(container.id)
    await container.remove({ force: true, v: true })
  }

  async #create(options: Docker.ContainerCreateOptions): Promise<Docker.Container> {
    const container = await this.docker.createContainer({
      Image: this.version.image,
      User: this.engine.hardening.user,
      name: `${this.#name}-${this.#created++}`,
      ...options,
      HostConfig: { NetworkMode: this.#name, ...options.HostConfig },
    })
    this.#containers.add(container.id)
    return container
  }

  #hardening(): Docker.HostConfig {
    const { user, capabilities, readOnlyRoot, tmpfs, sharedMemoryMb, openFiles } = this.engine.hardening
    const [uid, gid] = user.split(':')
    // No container gets more than its engine, which on this machine has what this process has.
    const files = openFiles && Math.min(openFiles, OPEN_FILES)
    return {
      CapDrop: ['ALL'],
      CapAdd: [...capabilities],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: readOnlyRoot,
      Tmpfs: Object.fromEntries(tmpfs.map((path) => [path, `rw,nosuid,nodev,uid=${uid},gid=${gid},mode=1777`])),
      PidsLimit: 512,
      Memory: MEMORY_BYTES,
      MemorySwap: MEMORY_BYTES,
      ...(sharedMemoryMb !== null && { ShmSize: sharedMemoryMb * 1024 ** 2 }),
      ...(files !== null && { Ulimits: [{ Name: 'nofile', Soft: files, Hard: files }] }),
    }
  }

  #archive({ path, content }: { path: string; content: string }): Readable {
    const [uid, gid] = this.engine.hardening.user.split(':').map(Number)
    const archive = pack()
    archive.entry({ name: basename(path), mode: 0o400, uid, gid }, content)
    archive.finalize()
    return Readable.from(archive)
  }

  async collect(stream: NodeJS.ReadWriteStream): Promise<{ stdout: Buffer; stderr: string }> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const read = Promise.all([stdout.toArray(), stderr.toArray()])
    this.docker.modem.demuxStream(stream, stdout, stderr)
    stream.once('end', () => [stdout, stderr].map((one) => one.end()))
    const [out, err] = await read
    return { stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() }
  }
}

export class RunningEngine {
  readonly world: EngineWorld
  readonly container: Docker.Container

  constructor(world: EngineWorld, container: Docker.Container) {
    this.world = world
    this.container = container
  }

  async exec(command: readonly string[], { stdin, environment = {} }: CommandInput = {}): Promise<Outcome> {
    const exec = await this.container.exec({
      Cmd: [...command],
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
    })
    const stream = await exec.start({ hijack: true, stdin: true })
    const output = this.world.collect(stream)
    stream.end(stdin ?? '')
    const collected = await output
    const { ExitCode } = await exec.inspect()
    return { code: ExitCode ?? -1, ...collected }
  }

  /** Fails with what the container printed when it ends, or does not become healthy. */
  async ready(): Promise<void> {
    const deadline = performance.now() + READY_TIMEOUT_MS
    let last = ''
    for (let pauseMs = 100; performance.now() < deadline; pauseMs = Math.min(pauseMs * 1.5, MAX_PAUSE_MS)) {
      const { State } = await this.container.inspect()
      if (!State.Running) throw new Error(`The engine ended with ${State.ExitCode}: ${await this.logs()}`)
      const { code, stderr } = await this.exec(this.world.engine.health)
      if (code === 0) return
      last = stderr
      await sleep(pauseMs)
    }
    throw new Error(`The engine is not healthy: ${last}\n${await this.logs()}`)
  }

  async logs(): Promise<string> {
    const output = await this.container.logs({ stdout: true, stderr: true, tail: 60 })
    return output.toString()
  }

  /** All that it has printed so far, by stream. */
  async output(): Promise<{ stdout: string[]; stderr: string[] }> {
    const printed = await this.container.logs({ stdout: true, stderr: true })
    const text = { stdout: '', stderr: '' }
    // Frames: a stream, three zeros, a length, and so many bytes.
    for (let at = 0; at < printed.length; ) {
      const length = printed.readUInt32BE(at + 4)
      text[printed[at] === 2 ? 'stderr' : 'stdout'] += printed.subarray(at + 8, at + 8 + length).toString()
      at += 8 + length
    }
    return { stdout: text.stdout.split('\n'), stderr: text.stderr.split('\n') }
  }

  async address(): Promise<string> {
    const { NetworkSettings } = await this.container.inspect()
    return Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? ''
  }

  /** Collects the command line of every process in the container, again and again, until it is stopped. */
  watchProcesses(): { stop: () => Promise<string> } {
    const collected = this.exec([
      'bash',
      '-c',
      'until [ -e /tmp/watched ]; do for one in /proc/[0-9]*/cmdline; do tr "\\0" " " < "$one"; echo; done; done 2>&1 | sort -u; rm /tmp/watched',
    ])
    const stop = async () => {
      await this.exec(['touch', '/tmp/watched'])
      return (await collected).stdout.toString()
    }
    return { stop }
  }

  async stop(): Promise<number> {
    await this.container.stop({ t: this.world.engine.stopSeconds })
    const { State } = await this.container.inspect()
    return State.ExitCode
  }

  remove(): Promise<void> {
    return this.world.remove(this.container)
  }
}
