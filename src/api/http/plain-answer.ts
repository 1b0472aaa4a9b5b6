import type { Admitted } from './admission.ts'

/** A plain JSON POST to GraphQL, of which no Request was made. */
export interface PlainAsking {
  requestId: string
  /** Of the client, as far as trusted proxies say. */
  address: string
  authorization: string | null
  admitted?: Admitted | undefined
  accept: string | null
  /** Fires when the client has gone; made only for what waits. */
  gone(): AbortSignal
}

/** The answer to it, before it becomes a response object. */
export interface PlainAnswer {
  status: number
  mediaType: string
  text: string
  /** A query that was answered without an error. */
  isRead: boolean
}
