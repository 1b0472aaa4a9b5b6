import { Agent } from 'node:http'
import type { Duplex } from 'node:stream'
import { Client } from 'ssh2'
import type { EngineAddress } from '../../domain/engine-address.ts'
import type { EngineKeys } from './engine-keys.ts'

const CONNECT_MS = 10_000
/** A machine that is gone is noticed after three of them. */
const KEEP_ALIVE_MS = 5_000

type SshAddress = Extract<EngineAddress, { kind: 'ssh' }>
interface Connection {
  client: Client
  /** Once the machine has let Berth in. */
  opened: Promise<Client>
}

type Connected = (error: Error | null, stream: Duplex) => void

/** The machine does not let Berth in, or is not the one that it was. */
class SshProblem extends Error {
  override readonly name = 'SshProblem'
  readonly code = 'SSH'
}

/**
 * Connections to an engine's socket through one SSH connection to its machine, each a channel of its own. The machine
 * needs no program besides its SSH server.
 */
export class SshAgent extends Agent {
  readonly #address: SshAddress
  readonly #keys: EngineKeys
  #connection: Connection | null = null
  #isClosed = false

  constructor(address: SshAddress, keys: EngineKeys) {
    super()
    this.#address = address
    this.#keys = keys
  }

  override createConnection(_options: object, connected?: Connected): undefined {
    const failed = (error: Error) => connected?.(error, undefined as never)
    this.#open().then((client) => {
      try {
        client.openssh_forwardOutStreamLocal(this.#address.path, (error, channel) =>
          connected?.(error ? new SshProblem(`The engine's socket: ${error.message}`) : null, channel),
        )
      } catch {
        // Thrown once the machine has ended its side, which may be seen before any event of it.
        this.#forget(client)
        failed(new SshProblem('Not connected'))
      }
    }, failed)
  }

  override destroy(): void {
    this.#isClosed = true
    this.#connection?.opened.then(
      (client) => client.end(),
      () => {},
    )
    super.destroy()
  }

  #open(): Promise<Client> {
    if (this.#isClosed) return Promise.reject(new SshProblem('The connection has been closed'))
    if (this.#connection) return this.#connection.opened
    const { promise: opened, resolve, reject } = Promise.withResolvers<Client>()
    const client = new Client()
    this.#connection = { client, opened }
    const lost = (error: Error) => {
      this.#forget(client)
      reject(error)
    }
    client.once('ready', () => resolve(client))
    client.on('error', (error) => lost(new SshProblem(error.message)))
    const closed = () => lost(new SshProblem('The connection was closed'))
    client.once('end', closed).once('close', closed)
    try {
      this.#connect(client)
    } catch (error) {
      lost(error as Error)
    }
    return opened
  }

  #connect(client: Client): void {
    const { user: username, host, port } = this.#address
    const { privateKey, hostKeys } = this.#keys.ssh()
    client.connect({
      host,
      port,
      username,
      privateKey,
      readyTimeout: CONNECT_MS,
      keepaliveInterval: KEEP_ALIVE_MS,
      hostVerifier: (key: Buffer) => hostKeys.includes(key.toString('base64')),
    })
  }

  /** The next call connects again. */
  #forget(client: Client): void {
    if (this.#connection?.client === client) this.#connection = null
  }
}
