import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ObservedReplica, Rollout, Runtime } from '../../../src/runtime/runtime.ts'

export interface RuntimeOptions {
  installationId: string
  /** Address of the engine; the machine's own when omitted. */
  host?: string
  callTimeoutSeconds?: number
  pullIdleSeconds?: number
}

/** What the contract needs of an adapter, besides the port: instances of it, and the engine behind its back. */
export interface RuntimeHarness {
  /** Path of the engine's socket, which tests put a faulty proxy in front of. */
  socketPath: string
  /** Makes sure of an image that runs `node`, and names it. */
  ensureImage(): Promise<string>
  createRuntime(options: RuntimeOptions): Runtime
  /** What an operator may do to a container without asking Berth. */
  byHand: Record<'kill' | 'stop' | 'remove', (containerId: string) => Promise<void>>
  /** Removes an installation's containers without Berth's help, even after a failed test. */
  removeContainers(installationId: string): Promise<void>
  /** Removes whatever else it left behind, too. */
  cleanUp(installationId: string): Promise<void>
}

/** One installation of a test: its runtime, and rollouts that do not collide with any other test's. */
export interface World {
  installationId: string
  runtime: Runtime
  rollout(change?: Partial<Rollout>): Rollout
}

const uniqueId = (prefix: string): string => `${prefix}_${randomBytes(13).toString('hex')}`

/** Answers every request with 200, says so, and stops at SIGTERM because nothing keeps it. */
export const SERVER = `
  require('node:http').createServer((_, response) => response.end('hello')).listen(process.env.PORT)
  console.log('listening')`

export const nodeCommand = (script: string) => ({ entrypoint: ['node'], args: ['-e', script] })

export function createWorld(harness: RuntimeHarness, image: string): World {
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
    command: nodeCommand(SERVER),
    workingDir: null,
    environment: { PORT: '3000' },
    port: 3000,
    replicas: 1,
    resources: { cpu: 1, memoryMb: 256 },
    ...change,
  })
  return { installationId, rollout, runtime: harness.createRuntime({ installationId }) }
}

/** Looks every 50 ms until the claim holds; fails the test by what was last seen. */
export async function eventually<T>(look: () => Promise<T>, holds: (seen: T) => boolean, seconds = 60): Promise<T> {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const seen = await look()
    if (holds(seen)) return seen
    if (Date.now() > end) throw new Error(`Not within ${seconds} s; last seen: ${JSON.stringify(seen)}`)
    await pause(50)
  }
}

/** The one replica that a test expects. */
export async function onlyReplica(runtime: Runtime, appEnvId: string): Promise<ObservedReplica> {
  const replicas = await runtime.observe({ appEnvId })
  const [replica] = replicas
  if (!replica || replicas.length > 1) throw new Error(`Expected one replica, found ${replicas.length}`)
  return replica
}
