import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Docker from 'dockerode'

const START_TIMEOUT_MS = 60_000

export interface PrivateEngine extends AsyncDisposable {
  socketPath: string
  docker: Docker
  /** SIGKILL. Containers go on: the engine keeps them across its own restarts. */
  kill(): Promise<void>
  start(): Promise<void>
}

/** Why there can be no engine of our own here; null when there can. */
export function privateEngineProblem(): string | null {
  if (process.env.BERTH_TEST_ENGINE) return 'another engine than this machine’s own is tested'
  if (process.getuid?.() !== 0) return 'only root can start a container engine'
  const missing = ['dockerd', 'containerd', 'ip'].find((program) => spawnSync('which', [program]).status !== 0)
  return missing ? `${missing} is not installed` : null
}

interface PrivateEngineOptions {
  /** Folder in which it has all of its files. */
  parent?: string
  /** Network namespace that it and its containers live in, as on another machine. */
  namespace?: string
  /** Where else it listens, and how. */
  listen?: readonly string[]
}

/** A Docker Engine beside the machine's own, with other folders, addresses and containers, to be killed at will. */
export async function startPrivateEngine({
  parent = tmpdir(),
  namespace,
  listen = [],
}: PrivateEngineOptions = {}): Promise<PrivateEngine> {
  // Short, because the engine puts sockets below it, whose paths may have 108 characters.
  const folder = mkdtempSync(join(parent, 'be-'))
  const socketPath = join(folder, 's')
  const docker = new Docker({ socketPath })
  // With none at all, the engine would take away that of the machine's own engine.
  const bridge = addBridge(namespace)
  const containerd = startContainerd(folder)
  let child: ChildProcess | null = null

  async function start(): Promise<void> {
    const log = openSync(join(folder, 'log'), 'a')
    const args = [
      '--data-root',
      join(folder, 'd'),
      '--exec-root',
      join(folder, 'x'),
      '--pidfile',
      join(folder, 'p'),
      '--containerd',
      join(folder, 'c'),
      '--host',
      `unix://${socketPath}`,
      '--bridge',
      bridge,
      '--iptables=false',
      '--ip-forward=false',
      ...listen,
      '--live-restore',
      '--default-address-pool',
      'base=10.213.0.0/16,size=24',
    ]
    rmSync(join(folder, 'p'), { force: true })
    // Not `ip netns exec`: it mounts another /sys, which has no cgroups.
    child = namespace
      ? spawn('nsenter', [`--net=/run/netns/${namespace}`, 'dockerd', ...args], { stdio: ['ignore', log, log] })
      : spawn('dockerd', args, { stdio: ['ignore', log, log] })
    const until = Date.now() + START_TIMEOUT_MS
    while (Date.now() < until && child.exitCode === null) {
      const isUp = await docker.ping().then(
        () => true,
        () => false,
      )
      if (isUp) return
      await pause(50)
    }
    const lines = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n').slice(-10)
    throw new Error(`dockerd did not start:\n${lines.join('\n')}`)
  }

  await start()
  return {
    socketPath,
    docker,
    start,
    kill: () => end(child, 'SIGKILL'),
    async [Symbol.asyncDispose]() {
      await end(child, 'SIGTERM')
      await end(containerd, 'SIGTERM')
      spawnSync('ip', [...inNamespace(namespace), 'link', 'delete', bridge])
      // Layers that are still mounted cannot be removed; what is left is unmounted first.
      spawnSync('sh', ['-c', `grep -o '${folder}[^ ]*' /proc/mounts | sort -r | xargs -r umount -l`])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const inNamespace = (namespace: string | undefined): string[] => (namespace ? ['-n', namespace] : [])

function addBridge(namespace: string | undefined): string {
  const name = `be${randomBytes(4).toString('hex')}`
  for (const args of [
    ['link', 'add', name, 'type', 'bridge'],
    ['address', 'add', '10.212.0.1/24', 'dev', name],
  ]) {
    const { status, stderr } = spawnSync('ip', [...inNamespace(namespace), ...args])
    if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`)
  }
  return name
}

/** In a process of its own, as on a real machine: an engine that is killed must not take it along. */
function startContainerd(folder: string): ChildProcess {
  const config = join(folder, 'containerd.toml')
  writeFileSync(config, 'version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n')
  const log = openSync(join(folder, 'containerd.log'), 'a')
  const options = ['--root', join(folder, 'cr'), '--state', join(folder, 'cs'), '--address', join(folder, 'c')]
  return spawn('containerd', ['--config', config, ...options], { stdio: ['ignore', log, log] })
}

async function end(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
