import type { Config } from '../config/config.ts'
import { conflict, DomainError, type ErrorCode, type ErrorDetails, invalidField } from '../domain/errors.ts'
import type { Database, Transaction } from '../storage/database/client.ts'
import { isLockTimeout } from '../storage/database/errors.ts'
import type { Vault } from '../storage/secrets/vault.ts'
import type { Caller } from './caller.ts'
import { type AnyCommand, type CallOptions, type CommandResult, hasBegun, type Performed } from './command.ts'

/** One call, as far as its key and its stored answer are concerned. */
export interface KeyedCall {
  caller: Caller
  command: AnyCommand
  input: Record<string, unknown>
  options: CallOptions
  config: Config
  vault: Vault
}

interface StoredRefusal {
  code: ErrorCode
  reason: string | undefined
  message: string
  details: ErrorDetails
  requestId: string
}

type Kept = { result: CommandResult } | { refusal: StoredRefusal }

export type StoredAnswer = Performed | { refusal: StoredRefusal }

const MAX_KEY_LENGTH = 255

/**
 * A waiting call renews its claim well within this time. If it has not, it is dead, and a repeat takes over its wait.
 */
const PENDING_SECONDS = 5
export const RENEWAL_MS = 1_500

/** Refusals that say nothing about the key's request, so a corrected repeat is decided afresh. */
const NOT_KEPT: ReadonlySet<ErrorCode> = new Set([
  'INVALID_INPUT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'IDEMPOTENCY_MISMATCH',
  'INTERNAL',
  'UNAVAILABLE',
  'RUNTIME_UNAVAILABLE',
])

interface Row {
  requestHash: string
  response: string
  /** True: a call is waiting for the operation to end. False: that call died. Null: the answer is final. */
  isPending: boolean | null
}

const routeOf = ({ command, options }: KeyedCall) => `${options.api}:${command.name}`

const hashOf = ({ input, options, vault }: KeyedCall) =>
  vault.fingerprint(JSON.stringify([input, options.expectedVersion ?? null]))

/**
 * Claims the key for this transaction, or returns its stored answer. Two calls with one key meet at the unique index:
 * the second waits until the first has committed (and then repeats its answer) or rolled back (and then proceeds), but
 * no longer than for any lock. A process that dies in between leaves no state behind.
 */
export async function claimKey(tx: Transaction, call: KeyedCall): Promise<StoredAnswer | null> {
  const { idempotencyKey: key, dryRun } = call.options
  if (key === undefined || dryRun) return null
  checkKey(key)
  const [callerId, route, requestHash] = [call.caller.tokenId, routeOf(call), hashOf(call)]
  if (await insertClaim(tx, { callerId, route, key, requestHash })) return null
  const [row] = await tx.$queryRaw<Row[]>`
    SELECT request_hash AS "requestHash", response, pending_until > now() AS "isPending"
    FROM idempotency_record WHERE caller_id = ${callerId} AND route = ${route} AND key = ${key}`
  if (!row) throw inProgress()
  if (row.requestHash !== requestHash) {
    throw new DomainError('IDEMPOTENCY_MISMATCH', undefined, 'This Idempotency-Key was used with another request')
  }
  // The waiting call has died: this call takes over, unless another one just did.
  const isUnfinished = row.isPending === false
  if (row.isPending || (isUnfinished && !(await takeOver(tx, call)))) throw inProgress()
  const kept = opened(call, row.response)
  return 'refusal' in kept ? kept : { result: kept.result, replayed: true, isUnfinished }
}

interface Claim {
  callerId: string
  route: string
  key: string
  requestHash: string
}

async function insertClaim(tx: Transaction, { callerId, route, key, requestHash }: Claim): Promise<boolean> {
  try {
    const claimed = await tx.$executeRaw`
      INSERT INTO idempotency_record AS r (caller_id, route, key, request_hash, response, expires_at)
      VALUES (${callerId}, ${route}, ${key}, ${requestHash}, '', now() + interval '1 hour')
      ON CONFLICT (caller_id, route, key) DO UPDATE
        SET request_hash = EXCLUDED.request_hash, response = '', pending_until = NULL, created_at = now()
        WHERE r.expires_at < now()`
    return claimed === 1
  } catch (error) {
    throw isLockTimeout(error) ? inProgress() : error
  }
}

const inProgress = () =>
  conflict('IDEMPOTENCY_IN_PROGRESS', 'The first call with this Idempotency-Key is still running; repeat it later')

/** Stores the answer in the transaction of the write itself. A waiting call's final answer replaces it later. */
export async function storeAnswer(tx: Transaction, call: KeyedCall, result: CommandResult): Promise<void> {
  const willWait = Boolean(call.options.waitSeconds) && hasBegun(call.command, result)
  await store(tx, call, { result }, willWait)
}

/** Refusals are answers too: a repeat gets the same one, even when the state has changed meanwhile. */
export const storeRefusal = (tx: Transaction, call: KeyedCall, refusal: DomainError): Promise<void> =>
  store(tx, call, { refusal: refusalOf(call, refusal) }, false)

const refusalOf = ({ options }: KeyedCall, { code, reason, message, details }: DomainError): StoredRefusal => {
  return { code, reason, message, details, requestId: options.requestId }
}

export const isKept = ({ code }: DomainError): boolean => !NOT_KEPT.has(code)

async function store(tx: Transaction, call: KeyedCall, kept: Kept, willWait: boolean): Promise<void> {
  const { options, config, caller } = call
  if (options.idempotencyKey === undefined) return
  await tx.$executeRaw`
    UPDATE idempotency_record SET response = ${sealed(call, kept)},
      expires_at = now() + make_interval(hours => ${config.BERTH_IDEMPOTENCY_HOURS}),
      pending_until = CASE WHEN ${willWait} THEN now() + make_interval(secs => ${PENDING_SECONDS}) END
    WHERE caller_id = ${caller.tokenId} AND route = ${routeOf(call)} AND key = ${options.idempotencyKey}`
}

async function takeOver(tx: Transaction, call: KeyedCall): Promise<boolean> {
  const taken = await tx.$executeRaw`
    UPDATE idempotency_record SET pending_until = now() + make_interval(secs => ${PENDING_SECONDS})
    WHERE caller_id = ${call.caller.tokenId} AND route = ${routeOf(call)} AND key = ${call.options.idempotencyKey}
      AND pending_until <= now()`
  return taken === 1
}

/** Renews the claim of a waiting call; with 0 seconds, gives it up without a final answer. */
export async function keepPending(database: Database, call: KeyedCall, seconds = PENDING_SECONDS): Promise<void> {
  const { idempotencyKey } = call.options
  if (idempotencyKey === undefined) return
  await database.$executeRaw`
    UPDATE idempotency_record SET pending_until = now() + make_interval(secs => ${seconds})
    WHERE caller_id = ${call.caller.tokenId} AND route = ${routeOf(call)} AND key = ${idempotencyKey}
      AND pending_until IS NOT NULL`
}

/** Stores the answer of a call that waited; or returns the answer of the call that took over meanwhile. */
export async function storeFinalAnswer(
  database: Database,
  call: KeyedCall,
  result: CommandResult,
): Promise<CommandResult> {
  const { idempotencyKey: key } = call.options
  if (key === undefined || (await storeFinal(database, call, { result }))) return result
  const [callerId, route] = [call.caller.tokenId, routeOf(call)]
  const row = await database.idempotencyRecord.findUnique({ where: { callerId_route_key: { callerId, route, key } } })
  const kept = row && opened(call, row.response)
  return kept && 'result' in kept ? kept.result : result
}

/** The same for a call whose work has failed. */
export async function storeFinalRefusal(database: Database, call: KeyedCall, refusal: DomainError): Promise<void> {
  if (call.options.idempotencyKey !== undefined) await storeFinal(database, call, { refusal: refusalOf(call, refusal) })
}

/** False when another call has taken over. */
async function storeFinal(database: Database, call: KeyedCall, kept: Kept): Promise<boolean> {
  const stored = await database.$executeRaw`
    UPDATE idempotency_record SET response = ${sealed(call, kept)}, pending_until = NULL
    WHERE caller_id = ${call.caller.tokenId} AND route = ${routeOf(call)} AND key = ${call.options.idempotencyKey}
      AND pending_until IS NOT NULL`
  return stored === 1
}

/** Sealed, because the answer to a new token holds its secret, which is stored nowhere else. */
const sealed = (call: KeyedCall, kept: Kept) =>
  call.vault.sealAnswer(`${call.caller.tokenId}/${routeOf(call)}/${call.options.idempotencyKey}`, JSON.stringify(kept))

const opened = (call: KeyedCall, response: string): Kept =>
  JSON.parse(call.vault.openAnswer(`${call.caller.tokenId}/${routeOf(call)}/${call.options.idempotencyKey}`, response))

function checkKey(key: string): void {
  if (key.length === 0 || key.length > MAX_KEY_LENGTH) {
    throw invalidField('idempotencyKey', `must be 1 to ${MAX_KEY_LENGTH} characters long`)
  }
  // PostgreSQL's text type cannot hold NUL; the rest of the rule keeps keys printable in logs.
  if (!/^[\x20-\x7e]+$/.test(key)) throw invalidField('idempotencyKey', 'must be printable ASCII')
}
