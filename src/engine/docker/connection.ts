import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import Docker from 'dockerode'
import { AccountNetworks } from './networks.ts'
import { quieten } from './quiet-modem.ts'

export interface EngineOptions {
  /** `unix://`, `tcp://`, `http://` or `https://`; the local socket when omitted. */
  dockerHost?: string
  /** Marks our resources on an engine that several installations may share. */
  installationId: string
  /** Deadline of a call that sets none itself. */
  callTimeoutSeconds?: number
}

/** One engine, for both adapters. */
export interface DockerEngine {
  docker: Docker
  /** Where it is, for messages. */
  address: string
  installationId: string
  callTimeoutSeconds: number
  /** Shared by the whole engine: a build joins the networks that containers run in. */
  networks: AccountNetworks
}

const LOCAL_SOCKET = 'unix:///var/run/docker.sock'

export function connect(options: EngineOptions): DockerEngine {
  const address = options.dockerHost ?? LOCAL_SOCKET
  const docker = quieten(new Docker(endpointOf(address)))
  const { installationId, callTimeoutSeconds = 30 } = options
  const networks = new AccountNetworks({ docker, installationId, callTimeoutSeconds })
  return { docker, address, installationId, callTimeoutSeconds, networks }
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
