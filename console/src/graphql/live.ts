import { stringifyDocument } from 'urql'
import { client } from './client.ts'
import { socket } from './connection.ts'
import { AccountEvents, Refresh } from './documents.ts'
import type { ResultOf } from './graphql.ts'
import { refusalOf, type SentError } from './refusal.ts'

export type LiveEvent = NonNullable<ResultOf<typeof AccountEvents>['accountEvents']['event']>

/** `null`: events were missed that are no longer kept, so whatever is shown has to be read again. */
type Listener = (event: LiveEvent | null) => void

const listeners = new Set<Listener>()

/** Calls `listener` with each event of the account that is followed; returns what ends that. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const notify = (event: LiveEvent | null) => {
  for (const listener of listeners) listener(event)
}

const ACCOUNT_EVENTS = stringifyDocument(AccountEvents)

/** A first event shows at once; where many follow, they share a read. */
const FIRST_WAIT_MS = 250
const NEXT_WAIT_MS = 1_000
const HIDDEN_WAIT_MS = 5_000
/** The server’s limit on ids of one read is higher; this keeps each answer small. */
const IDS_AT_ONCE = 30
const RETRY_MS = 1_000

/** Of the events: what has changed, until it is read. */
const changed = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined
let lastReadAt = 0

function note(ids: readonly (string | null)[]): void {
  for (const id of ids) if (id) changed.add(id)
  if (changed.size > 0 && timer === undefined) timer = setTimeout(readChanged, waitMs())
}

function waitMs(): number {
  if (document.visibilityState === 'hidden') return HIDDEN_WAIT_MS
  return Date.now() - lastReadAt > NEXT_WAIT_MS ? FIRST_WAIT_MS : NEXT_WAIT_MS
}

/** Into the cache, and so into every list and screen that shows it. */
async function readChanged(): Promise<void> {
  const ids = [...changed].slice(0, IDS_AT_ONCE)
  for (const id of ids) changed.delete(id)
  const variables = {
    appEnvIds: ids.filter((id) => id.startsWith('env_')),
    operationIds: ids.filter((id) => id.startsWith('op_')),
    appIds: ids.filter((id) => id.startsWith('app_')),
  }
  const { error } = await client.query(Refresh, variables, { requestPolicy: 'network-only' }).toPromise()
  lastReadAt = Date.now()
  timer = undefined
  // With no answer at all, the ids stay for the next read.
  if (error?.networkError) note(ids)
  else note([])
}

/**
 * Follows all events of an account, through every interruption: each connection continues after the last event. Returns
 * what ends it.
 */
export function followAccount(accountId: string): () => void {
  let after: string | undefined
  let isOver = false
  let isBegun = false
  let unsubscribe = () => {}
  let retry: ReturnType<typeof setTimeout> | undefined

  const variables = {
    accountId,
    // Read with each connection.
    get after() {
      return after
    },
  }
  const subscribe = () => {
    if (isOver) return
    unsubscribe = socket.subscribe<ResultOf<typeof AccountEvents>>(
      { query: ACCOUNT_EVENTS, variables },
      {
        next: ({ data, errors }) => (data ? receive(data.accountEvents) : refuse(errors)),
        error: refuse,
        complete: again,
      },
    )
  }
  const receive = ({ cursor, event }: ResultOf<typeof AccountEvents>['accountEvents']) => {
    // A connection that ended before its first message left no cursor: what happened meanwhile is unknown.
    if (!event && isBegun) notify(null)
    isBegun = true
    after = cursor
    if (!event) return
    note([event.appEnvId, event.operationId, event.appId])
    notify(event)
  }
  const refuse = (errors: unknown) => {
    // Else the socket is closed for good, and the connection says so.
    if (!Array.isArray(errors)) return
    const refusals = (errors as SentError[]).map(refusalOf)
    if (refusals.some(({ code }) => code === 'CURSOR_EXPIRED')) {
      after = refusals.find(({ continueAfter }) => continueAfter)?.continueAfter ?? undefined
      notify(null)
    }
    again()
  }
  // The server ends it only with a refusal; a socket that ends does not complete it.
  const again = () => {
    clearTimeout(retry)
    retry = setTimeout(subscribe, RETRY_MS)
  }

  subscribe()
  return () => {
    isOver = true
    clearTimeout(retry)
    unsubscribe()
  }
}
