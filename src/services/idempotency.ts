import type { Config } from '../config.ts'
import type { Database, Transaction } from '../database/client.ts'
import { conflict, DomainError, type ErrorCode, type ErrorDetails, invalidField } from '../domain/errors.ts'
import type { Vault } from '../secrets/vault.ts'
import type { Caller } from './caller.ts'
import type { AnyCommand, CallOptions, CommandResult, Performed } from './command.ts'

/** One call, as far as its key and its kept answer are concerned. */
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

/** Refusals that say nothing about the key's request, so that a corrected repeat must be decided afresh. */
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
  isPending: boolean
}

const routeOf = ({ command, options }: KeyedCall) => `${options.door}:${command.name}`

const hashOf = ({ input, options, vault }: KeyedCall) =>
  vault.fingerprint(JSON.stringify([input, options.expectedVersion ?? null]))

/**
 * Claims the key for this transaction, or returns the answer that it got before. Two calls with one key meet
 * at the unique index: the second waits until the first has committed (and then repeats its answer) or has
 * rolled back (and then goes ahead). No state is left behind when a process dies in between.
 */
export async function claimKey(tx: Transaction, call: KeyedCall): Promise<StoredAnswer | null> {
  const { idempotencyKey: key, dryRun } = call.options
  if (key === undefined || dryRun) return null
  checkKey(key)
  const [callerId, route, requestHash] = [call.caller.tokenId, routeOf(call), hashOf(call)]
  const claimed = await tx.$executeRaw`
    INSERT INTO idempotency_record AS r (caller_id, route, key, request_hash, response, expires_at)
    VALUES (${callerId}, ${route}, ${key}, ${requestHash}, '', now() + interval '1 hour')
    ON CONFLICT (caller_id, route, key) DO UPDATE
      SET request_hash = EXCLUDED.request_hash, response = '', pending_until = NULL, created_at = now()
      WHERE r.expires_at < now()`
  if (claimed === 1) return null
  const [row] = await tx.$queryRaw<Row[]>`
    SELECT request_hash AS "requestHash", response, coalesce(pending_until > now(), false) AS "isPending"
    FROM idempotency_record WHERE caller_id = ${callerId} AND route = ${route} AND key = ${key}`
  if (!row?.response)
    throw conflict('IDEMPOTENCY_IN_PROGRESS', 'The first call with this Idempotency-Key is still running')
  if (row.requestHash !== requestHash) {
    throw new DomainError('IDEMPOTENCY_MISMATCH', undefined, 'This Idempotency-Key was used with another request')
  }
  if (row.isPending)
    throw conflict('IDEMPOTENCY_IN_PROGRESS', 'The first call with this Idempotency-Key is still running')
  const kept: Kept = JSON.parse(call.vault.openAnswer(`${callerId}/${route}/${key}`, row.response))
  return 'refusal' in kept ? kept : { result: kept.result, replayed: true }
}

/** Keeps the answer beside what it did, in one transaction. A waiting call's final answer replaces it later. */
export async function storeAnswer(tx: Transaction, call: KeyedCall, result: CommandResult): Promise<void> {
  const { options, config, caller } = call
  if (options.idempotencyKey === undefined) return
  // A little longer than the wait itself: past it, whoever waited is dead and the first answer counts.
  const pendingSeconds = options.waitSeconds ? options.waitSeconds + 5 : 0
  await tx.$executeRaw`
    UPDATE idempotency_record SET response = ${sealed(call, { result })},
      expires_at = now() + make_interval(hours => ${config.BERTH_IDEMPOTENCY_HOURS}),
      pending_until = CASE WHEN ${pendingSeconds} > 0 THEN now() + make_interval(secs => ${pendingSeconds}) END
    WHERE caller_id = ${caller.tokenId} AND route = ${routeOf(call)} AND key = ${options.idempotencyKey}`
}

/** The answer of a call that waited, once the wait is over. */
export async function storeFinalAnswer(database: Database, call: KeyedCall, result: CommandResult): Promise<void> {
  const { idempotencyKey } = call.options
  if (idempotencyKey === undefined) return
  await database.$executeRaw`
    UPDATE idempotency_record SET response = ${sealed(call, { result })}, pending_until = NULL
    WHERE caller_id = ${call.caller.tokenId} AND route = ${routeOf(call)} AND key = ${idempotencyKey}`
}

/** Refusals are answers too: a repeat gets the same one, even when the state has changed meanwhile. */
export async function keepRefusal(database: Database, call: KeyedCall, error: DomainError): Promise<void> {
  const { options, config, caller } = call
  if (options.idempotencyKey === undefined || options.dryRun) return
  if (NOT_KEPT.has(error.code) || 'replayOf' in error || error.reason === 'IDEMPOTENCY_IN_PROGRESS') return
  const { code, reason, message, details } = error
  const refusal: StoredRefusal = { code, reason, message, details, requestId: options.requestId }
  await database.$executeRaw`
    INSERT INTO idempotency_record (caller_id, route, key, request_hash, response, expires_at)
    VALUES (${caller.tokenId}, ${routeOf(call)}, ${options.idempotencyKey}, ${hashOf(call)},
      ${sealed(call, { refusal })}, now() + make_interval(hours => ${config.BERTH_IDEMPOTENCY_HOURS}))
    ON CONFLICT DO NOTHING`
}

/** Sealed, because the answer that made a token holds its secret, which is kept nowhere else. */
const sealed = (call: KeyedCall, kept: Kept) =>
  call.vault.sealAnswer(`${call.caller.tokenId}/${routeOf(call)}/${call.options.idempotencyKey}`, JSON.stringify(kept))

function checkKey(key: string): void {
  if (key.length === 0 || key.length > MAX_KEY_LENGTH) {
    throw invalidField('idempotencyKey', `must be 1 to ${MAX_KEY_LENGTH} characters long`)
  }
  // PostgreSQL's texts hold no NUL; the rest of the rule keeps keys printable in logs.
  if (!/^[\x20-\x7e]+$/.test(key)) throw invalidField('idempotencyKey', 'must be printable ASCII')
}
