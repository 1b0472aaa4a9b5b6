import type { Caller } from '../../calls/caller.ts'
import type { Config } from '../../config/config.ts'
import type { Services } from '../../services/services.ts'
import type { EventFeed } from '../../storage/events/feed.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import type { Admission, Admitted } from '../http/admission.ts'
import type { AccessWatch } from './access-watch.ts'

/** Dependencies of the whole API; the same for every request. */
export interface GraphQLParts {
  services: Services
  config: Config
  vault: Vault
  feed: EventFeed
  access: AccessWatch
  /** What counts requests; absent where nothing is counted, as in tests of other things. */
  admission?: Admission | undefined
}

/** Where a request came from, for any of the three transports. */
export interface Arrival {
  requestId: string
  /** Of the client, as far as trusted proxies say. */
  address: string
  /** The Authorization header, or what a WebSocket client sent in its place. */
  authorization: string | null
  /** Who calls, where the request was counted and its caller looked up already. */
  admitted?: Admitted | undefined
  /** Fires when the client has gone. Requested only by code that waits, because creating it is expensive. */
  signalOf?: (() => AbortSignal) | undefined
  /** Closes the connection when the caller loses access to what it follows. */
  closeConnection?: (() => void) | undefined
  /**
   * Called when a subscription was dropped because the client reads too slowly, so it would not see that in an answer.
   */
  onTooSlow?: (() => void) | undefined
}

export interface GraphQLContext extends GraphQLParts, Arrival {
  /** Without a caller, reading this property throws UNAUTHENTICATED. */
  caller: Caller
  /** Null, or why there is no caller: then only the schema itself can be read. */
  refusal: unknown
}

/** Authenticates the caller once per operation. A refusal is kept until a resolver asks for the caller. */
export async function createContext(parts: GraphQLParts, arrival: Arrival): Promise<GraphQLContext> {
  const { admitted } = arrival
  if (admitted) {
    const { caller, refusal } = admitted
    return { ...parts, ...arrival, caller: caller ?? refusedCaller(refusal), refusal: caller ? null : refusal }
  }
  try {
    const caller = await parts.services.authenticate(arrival.authorization)
    return { ...parts, ...arrival, caller, refusal: null }
  } catch (refusal) {
    return { ...parts, ...arrival, caller: refusedCaller(refusal), refusal }
  }
}

const refusedCaller = (refusal: unknown): Caller =>
  new Proxy({} as Caller, {
    get() {
      throw refusal
    },
  })
