import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import Docker from 'dockerode'
import { LOCAL_SOCKET, parseEngineAddress } from '../../domain/engine-address.ts'
import { engineKeys } from './engine-keys.ts'
import { AccountNetworks } from './networks.ts'
import { quieten } from './quiet-modem.ts'
import { SshAgent } from './ssh-agent.ts'
import { TlsAgent } from './tls-agent.ts'

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
