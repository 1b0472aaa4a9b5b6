import { Agent as HttpAgent } from 'node:http'
import { Agent, type AgentOptions, Agent as HttpsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { inspect } from 'node:util'
import Docker from 'dockerode'
import { LOCAL_SOCKET, parseEngineAddress } from '../../domain/engine-address.ts'
import { type EngineKeys, engineKeys } from './engine-keys.ts'
import { AccountNetworks } from './networks.ts'
import { SshAgent } from './ssh-agent.ts'

export interface EngineOptions {
  /** `unix://`, `tcp://`, `http://` or `https://`; the local socket when omitted. */
  dockerHost?: string
  /** The engine of a region, in place of `dockerHost`. */
  region?: RegionConnection
  /** Marks our resources on an engine that several installations may share. */
  installationId: string
  /** Deadline of a call that sets none itself. */
  callTimeoutSeconds?: number
}

/** How the engine of a region is reached. */
interface RegionConnection {
  regionCode: string
  /** As `parseEngineAddress` reads it. */
  engine: string
  /** Where its containers are published. */
  reachAddress?: string | null
  /** Folder with the files that `engineKeys` reads. */
  keysFolder: string
}

/** One engine, for both adapters. */
export interface DockerEngine {
  docker: Docker
  /** Which it is, for messages. The address of a region's engine is never shown. */
  name: string
  /** Where its machine is: words that are not for users, who see the engine's refusals. */
  hidden: readonly string[]
  installationId: string
  callTimeoutSeconds: number
  /** Shared by the whole engine: a build joins the networks that containers run in. */
  networks: AccountNetworks
  /** Ends what is kept open to it. */
  close(): void
}

export function connect(options: EngineOptions): DockerEngine {
  const { dockerHost = `unix://${LOCAL_SOCKET}`, region } = options
  const endpoint = region ? regionEndpoint(region) : endpointOf(dockerHost)
  const name = region ? `of the region ${region.regionCode}` : `at ${dockerHost}`
  const docker = quieten(new Docker(endpoint))
  const { installationId, callTimeoutSeconds = 30 } = options
  const networks = new AccountNetworks({ docker, installationId, callTimeoutSeconds })
  const hidden = region ? placesOf(region) : []
  return { docker, name, hidden, installationId, callTimeoutSeconds, networks, close: () => endpoint.agent.destroy() }
}

function placesOf({ engine, reachAddress }: RegionConnection): string[] {
  const address = parseEngineAddress(engine)
  const host = address && address.kind !== 'socket' ? [address.host] : []
  return reachAddress ? [...host, reachAddress] : host
}

/**
 * Names no API version: an unversioned path means the engine's newest, so that neither an old engine (1.41) nor one
 * that has dropped old versions (≥ 1.44) refuses. Keeps no connection: one that the engine has closed meanwhile would
 * fail a call that was never sent, and a new one to a local socket costs a tenth of a millisecond.
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

function regionEndpoint({ engine, keysFolder }: RegionConnection): Docker.DockerOptions & { agent: HttpAgent } {
  const address = parseEngineAddress(engine)
  if (!address) throw new Error('The address of the engine names none')
  if (address.kind === 'socket') return endpointOf(`unix://${encodeURI(address.path)}`)
  const keys = engineKeys(keysFolder)
  // The host is in the request's header only: the agent knows where to connect.
  if (address.kind === 'ssh') return { host: 'engine', port: 80, protocol: 'http', agent: new SshAgent(address, keys) }
  return { host: address.host, port: address.port, protocol: 'https', agent: new TlsAgent(keys) }
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

interface RequestOptions {
  agent?: object
  signal?: object
}

interface RequestBuilder {
  buildRequest(options: RequestOptions, ...rest: unknown[]): void
}

/**
 * docker-modem serializes every request's options for its debug log, even when no log takes it, and follows the agent
 * and the signal through every object they refer to: in a busy process that is most of the heap, and blocks it for
 * seconds. A short description of those two stops that.
 */
function quieten(docker: Docker): Docker {
  const modem = docker.modem as unknown as RequestBuilder
  const buildRequest = modem.buildRequest.bind(modem)
  modem.buildRequest = (options, ...rest) => {
    for (const heavy of [options.agent, options.signal]) {
      if (heavy)
        Object.defineProperty(heavy, inspect.custom, { value: () => heavy.constructor.name, configurable: true })
    }
    buildRequest(options, ...rest)
  }
  return docker
}

type Connected = (error: Error | null, stream: Duplex) => void

/** Both ends prove who they are, by certificates of the operator's own authority. */
class TlsAgent extends Agent {
  readonly #keys: EngineKeys

  constructor(keys: EngineKeys, options: AgentOptions = {}) {
    super(options)
    this.#keys = keys
  }

  override createConnection(options: object, connected?: Connected): Duplex | null | undefined {
    try {
      return super.createConnection({ ...options, ...this.#keys.tls() }, connected)
    } catch (error) {
      // Keys that cannot be read, or are none.
      queueMicrotask(() => connected?.(error as Error, undefined as never))
      return undefined
    }
  }
}
