import type { Config } from '../config.ts'
import type { EventFeed } from '../events/feed.ts'
import type { Vault } from '../secrets/vault.ts'
import type { Caller } from '../services/caller.ts'
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
  signal?: AbortSignal | undefined
  /** Closes the connection when what the caller was allowed to follow is no longer theirs. */
  closeConnection?: (() => void) | undefined
}

export interface GraphQLContext extends GraphQLParts, Arrival {
  /** Throws UNAUTHENTICATED when there is none: only the schema itself can be read without a token. */
  readonly caller: Caller
  /** Null, or why there is no caller. */
  readonly refusal: unknown
}

/** Looks the caller up once per operation. A refusal is kept until something asks who is calling. */
export async function createContext(parts: GraphQLParts, arrival: Arrival): Promise<GraphQLContext> {
  let caller: Caller | null = null
  let refusal: unknown = null
  try {
    caller = await parts.access.authenticate(arrival.authorization)
  } catch (error) {
    refusal = error
  }
  return {
    ...parts,
    ...arrival,
    refusal,
    get caller() {
      if (caller) return caller
      throw refusal
    },
  }
}
