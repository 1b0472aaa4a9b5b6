import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import Docker from 'dockerode'
import { quieten } from './quiet-modem.ts'

/** How replicas are reached: at their own address on the account's bridge, or at a loopback port the engine picks. */
export type Reach = 'address' | 'published'

export interface EngineOptions {
  /** `unix://`, `tcp://`, `http://` or `https://`; the local socket when omitted. */
  dockerHost?: string
  /** Marks what is ours on an engine that several installations may share. */
  installationId: string
  /** Deadline of any call but a pull. */
  callTimeoutSeconds?: number
  /** Deadline of one pull. */
  pullTimeoutSeconds?: number
  /** A pull without any progress for this long is given up. */
  pullIdleSeconds?: number
  /** Default: `address`, which works where the engine's bridges are on this machine (Linux); Docker Desktop needs `published`. */
  reach?: Reach
  /** Default: `auto`, the one that the engine prefers. */
  builder?: Builder
}

export type Builder = 'auto' | 'classic' | 'buildkit'

/** One engine, as the modules of this folder see it. */
export interface DockerEngine {
  docker: Docker
  /** Where it is, for messages. */
  address: string
  installationId: string
  callTimeoutSeconds: number
  pullTimeoutSeconds: number
  pullIdleSeconds: number
  reach: Reach
  builder: Builder
}

const LOCAL_SOCKET = 'unix:///var/run/docker.sock'

export function connect(options: EngineOptions): DockerEngine {
  const address = options.dockerHost ?? LOCAL_SOCKET
  return {
    docker: quieten(new Docker(endpointOf(address))),
    address,
    installationId: options.installationId,
    callTimeoutSeconds: options.callTimeoutSeconds ?? 30,
    pullTimeoutSeconds: options.pullTimeoutSeconds ?? 600,
    pullIdleSeconds: options.pullIdleSeconds ?? 60,
    reach: options.reach ?? 'address',
    builder: options.builder ?? 'auto',
  }
}

/**
 * No API version is named: an unversioned path means the engine's own newest, so that neither an old engine (1.41)
 * nor one that has dropped old versions (≥ 1.44) refuses. No connection is kept: one that the engine has closed
 * meanwhile would fail a call that was never sent, and a new one to a local socket costs a tenth of a millisecond.
 */
function endpointOf(address: string): Docker.DockerOptions & { agent: HttpAgent } {
  const url = new URL(address)
  if (url.protocol === 'unix:') {
    // `host` must be there: dockerode would otherwise take it from DOCKER_HOST, and prefer it to the socket.
    return { socketPath: decodeURIComponent(url.pathname), host: undefined, protocol: 'http', agent: new HttpAgent() }
  }
  const secure = url.protocol === 'https:' || url.port === '2376'
  const agent = secure ? new HttpsAgent() : new HttpAgent()
  return { host: url.hostname, port: url.port || (secure ? 2376 : 2375), protocol: secure ? 'https' : 'http', agent }
}

interface Question {
  path: string
  query?: Record<string, unknown>
  isStream?: boolean
  signal: AbortSignal
}

/** A GET for which dockerode's own method takes no signal, or would hold a whole stream in memory. */
export function ask(engine: DockerEngine, { path, query = {}, isStream = false, signal }: Question): Promise<unknown> {
  const options = {
    method: 'GET',
    path: `${path}?`,
    options: { ...query },
    statusCodes: { 200: true },
    isStream,
    abortSignal: signal,
  }
  return new Promise((resolve, reject) => {
    engine.docker.modem.dial(options, (error, answer) => (error ? reject(error) : resolve(answer)))
  })
}
