import { Agent, type AgentOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import type { EngineKeys } from './engine-keys.ts'

type Connected = (error: Error | null, stream: Duplex) => void

/** Both ends prove who they are, by certificates of the operator's own authority. */
export class TlsAgent extends Agent {
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
