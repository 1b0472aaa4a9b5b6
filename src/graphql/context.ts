import type { Config } from '../config/config.ts'
import type { EventFeed } from '../events/feed.ts'
import type { Vault } from '../secrets/vault.ts'
import type { Caller } from '../services/kernel/caller.ts'
import type { Services } from '../services/services.ts'
import type { AccessWatch } from './access-watch.ts'

/** What the door as a whole holds; the same for every request. */
export interface GraphQLParts {
  services: Services
  config: Config
  vault: Vault
  feed: EventFeed
  access: AccessWatch
}

/** How a request reached this door, whichever of the three transports it came by. */
export interface Arrival {
  requestId: string
  /** The Authorization header, or what a WebSocket client sent in its place. */
  authorization: string | null
  /** Fires when the client has gone. Asked for only where something is waited for, because making it is costly. */
  signalOf?: (() => AbortSignal) | undefined
  /** Closes the connection when what the caller was allowed to follow is no longer theirs. */
  closeConnection?: (() => void) | undefined
  /** Told when a subscription was dropped because the client reads too slowly, and so will not hear of it by reading. */
  onTooSlow?: (() => void) | undefined
}

export interface GraphQLContext extends GraphQLParts, Arrival {
  /** Whoever asks anything of a caller that is nobody gets UNAUTHENTICATED thrown. */
  caller: Caller
  /** Null, or why there is no caller: then only the schema itself can be read. */
  refusal: unknown
}

/** Looks the caller up once per operation. A refusal is kept until something asks who is calling. */
export async function createContext(parts: GraphQLParts, arrival: Arrival): Promise<GraphQLContext> {
  try {
    const caller = await parts.services.authenticate(arrival.authorization)
    return { ...parts, ...arrival, caller, refusal: null }
  } catch (refusal) {
    return { ...parts, ...arrival, caller: nobody(refusal), refusal }
  }
}

const nobody = (refusal: unknown): Caller =>
  new Proxy({} as Caller, {
    get() {
      throw refusal
    },
  })
