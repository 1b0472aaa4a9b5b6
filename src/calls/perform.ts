import type { z } from 'zod'
import type { Config } from '../config/config.ts'
import { DomainError, type FieldProblem, invalidInput } from '../domain/errors.ts'
import { readFields } from '../domain/field-problems.ts'
import { failpoint } from '../fault-injection/failpoint.ts'
import type { Database } from '../storage/database/client.ts'
import { asDomainError, isTransient } from '../storage/database/errors.ts'
import { noteChanges } from '../storage/events/audit-changes.ts'
import type { NewAuditEntry } from '../storage/events/audit-hash.ts'
import { INSTALLATION_EVENTS, type NewEvent } from '../storage/events/event.ts'
import { record } from '../storage/events/record.ts'
import type { Vault } from '../storage/secrets/vault.ts'
import { addressIn } from './address.ts'
import { alternativeProblems } from './alternatives.ts'
import { type Caller, may, permit } from './caller.ts'
import type {
  AnyCommand,
  CallOptions,
  CommandContext,
  CommandResult,
  OperationLimits,
  Performed,
  PrepareTools,
  Target,
} from './command.ts'
import { claimKey, isKept, type KeyedCall, type StoredAnswer, storeAnswer, storeRefusal } from './idempotency.ts'

export interface Dependencies {
  database: Database
  config: Config
  vault: Vault
  limits?: OperationLimits | undefined
}

const TRANSACTION_MS = 10_000
const TRIES = 4

/** Carries a dry run's answer out of the transaction that it rolls back. */
class DryRunDone {
  readonly result: CommandResult
  constructor(result: CommandResult) {
    this.result = result
  }
}

/**
 * Runs one write: input, target, permission, version, decision, record, in that order (contract §1, order of checks),
 * in one short transaction. A dry run is the same transaction, rolled back.
 */
export async function perform(
  { database, config, vault, limits }: Dependencies,
  caller: Caller,
  command: AnyCommand,
  rawInput: unknown,
  options: CallOptions,
): Promise<Performed> {
  const input = inputOf(command, rawInput)
  const call: KeyedCall = { caller, command, input, options, config, vault }
  const prepared = options.dryRun ? null : await prepare({ config, database, vault, limits }, caller, command, input)
  const run = () =>
    database.$transaction(
      async (tx): Promise<Outcome> => {
        const replay = await claimKey(tx, call)
        if (replay) return replay
        await noteChanges(tx)
        failpoint('request.claimed', command.name)
        const outcome = await decideForKey({ tx, limits, prepared, ...call })
        if ('refused' in outcome) return outcome
        failpoint('request.decided', command.name)
        if (options.dryRun) throw new DryRunDone(outcome.result)
        await storeAnswer(tx, call, outcome.result)
        failpoint('request.stored', command.name)
        return outcome
      },
      { timeout: TRANSACTION_MS, maxWait: TRANSACTION_MS / 2 },
    )
  try {
    const outcome = await withRetries(run)
    failpoint('request.committed', command.name)
    return answerOf(outcome)
  } catch (error) {
    if (error instanceof DryRunDone) return { result: error.result, replayed: false }
    throw asDomainError(error)
  }
}

type Outcome = StoredAnswer | { refused: DomainError }

function answerOf(outcome: Outcome): Performed {
  if ('result' in outcome) return outcome
  if ('refused' in outcome) throw outcome.refused
  const { code, reason, message, details, requestId } = outcome.refusal
  const refusal = new DomainError(code, reason, message, details)
  throw Object.assign(refusal, { replayOf: requestId })
}

/** Null for callers whose call cannot succeed: no remote service is called for them. */
async function prepare(
  tools: PrepareTools,
  caller: Caller,
  { prepare: preparation, permission }: AnyCommand,
  input: Record<string, unknown>,
): Promise<unknown> {
  const on = preparation && (await preparation.on(tools, addressIn(input)))
  return on && may(caller, permission, on) ? preparation.ask(tools, caller, input) : null
}

/**
 * Under an idempotency key, the deciding transaction itself stores a refusal, after it rolled back its other writes:
 * with a second transaction, a repeat could come in between and be accepted.
 */
async function decideForKey(decision: Decision): Promise<Performed | { refused: DomainError }> {
  const { tx, options } = decision
  if (options.idempotencyKey === undefined || options.dryRun) return { result: await decide(decision), replayed: false }
  await tx.$executeRaw`SAVEPOINT decision`
  try {
    return { result: await decide(decision), replayed: false }
  } catch (error) {
    if (!(error instanceof DomainError && isKept(error))) throw error
    await tx.$executeRaw`ROLLBACK TO SAVEPOINT decision`
    await storeRefusal(tx, decision, error)
    return { refused: error }
  }
}

interface Decision extends KeyedCall {
  tx: CommandContext['tx']
  prepared: unknown
  limits: OperationLimits | undefined
}

async function decide(decision: Decision): Promise<CommandResult> {
  const { tx, caller, config, vault, limits, prepared, command, input, options } = decision
  const announced: { event: NewEvent; accountId: string | undefined }[] = []
  const details: Record<string, unknown> = {}
  const createdNames: unknown[] = []
  const context: CommandContext = {
    tx,
    caller,
    config,
    vault,
    requestId: options.requestId,
    origin: options.origin,
    prepared,
    async permitOperation({ accountId, id: appEnvId }) {
      permit(caller, 'appEnv:operate', { accountId, appEnvId })
      if (!options.dryRun) await limits?.consumeOperation(appEnvId)
    },
    announce: (event, accountId) => announced.push({ event, accountId }),
    auditDetails: (more) => Object.assign(details, withoutUndefined(more)),
    created: (...names) => createdNames.push(...names),
  }
  const target: Target = await command.target(context, addressIn(input))
  permit(caller, command.permission, target)
  // A replay never gets here: only calls that would begin an operation count.
  if (command.permission === 'appEnv:operate' && target.appEnvId && !options.dryRun)
    await limits?.consumeOperation(target.appEnvId)
  requireVersion(target, options.expectedVersion)
  const result: CommandResult = await command.execute(context, input, target)
  // The audit entry of a create names the new id.
  const targetId = target.id ?? String(result[`${target.type}Id`])
  if (target.id === null) context.created(targetId)
  const entry: NewAuditEntry = {
    action: command.name,
    actorType: caller.userId ? 'USER' : 'TOKEN',
    actorId: caller.userId ?? caller.tokenId,
    tokenId: caller.tokenId,
    targetType: target.type,
    targetId,
    requestId: options.requestId,
    details: withoutUndefined({ ...details, address: options.address }),
  }
  const own = target.accountId ?? INSTALLATION_EVENTS
  const byAccount = Map.groupBy(announced, ({ accountId }) => accountId ?? own)
  // In one order, because each locks its event sequence until the commit.
  for (const id of [...new Set([own, ...byAccount.keys()])].sort()) {
    const events = (byAccount.get(id) ?? []).map(({ event }) => event)
    await record(tx, id, events, id === own ? { entry, heads: vault } : null)
  }
  return options.dryRun ? dryRunOf(result, details, new Set(createdNames)) : result
}

/** The answer as a prediction: without ids that will never exist, and with a message that reports no change. */
function dryRunOf(
  result: CommandResult,
  details: Record<string, unknown>,
  created: ReadonlySet<unknown>,
): CommandResult {
  const prediction = without(created, result)
  if (typeof prediction.message === 'string')
    prediction.message = `Dry run, nothing was changed. The call would answer: ${prediction.message}`
  return { ...prediction, dryRun: true, changes: without(created, details) }
}

const without = (values: ReadonlySet<unknown>, record: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => !values.has(value)))

/** Prisma rejects JSON with undefined values. */
const withoutUndefined = (more: Record<string, unknown>) => without(new Set([undefined]), more)

function requireVersion(target: Target, expected: number | undefined): void {
  if (expected === undefined || target.version === expected) return
  const message = `The ${target.type} is at version ${target.version ?? 'none'}, not ${expected}: read it again and repeat`
  throw new DomainError('PRECONDITION_FAILED', 'VERSION_MISMATCH', message)
}

/** Deadlocks and serialization failures left nothing behind, so the whole transaction simply runs again. */
export async function withRetries<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (error) {
      if (tries >= TRIES || !isTransient(error)) throw error
    }
  }
}

/** What a command was called with, validated. Throws INVALID_INPUT. */
export function inputOf(command: AnyCommand, raw: unknown): z.output<AnyCommand['input']> {
  const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw)
  const sent = isObject && command.modernise ? command.modernise(raw as Record<string, unknown>) : raw
  return parseInput(command.input, sent)
}

export function parseInput<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  raw: unknown,
): z.output<z.ZodObject<Shape>> {
  const read = readFields(schema, raw ?? {})
  const problems = read.problems ?? [...alternativeProblems(schema.shape, read.data), ...textProblems(read.data, [])]
  if (!read.problems && problems.length === 0) return read.data
  throw invalidInput(problems)
}

/**
 * PostgreSQL's text type can hold neither a NUL nor half a surrogate pair. PostgreSQL would refuse a NUL, which would
 * look like our fault; half a pair would come back as another character, or be refused inside JSON.
 */
function textProblems(value: unknown, path: string[]): FieldProblem[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => [
      ...textProblems(key, path),
      ...textProblems(item, [...path, key]),
    ])
  }
  if (typeof value !== 'string') return []
  const field = path.join('.') || 'body'
  if (value.includes('\0')) return [{ field, message: 'must not contain a NUL character' }]
  return value.isWellFormed() ? [] : [{ field, message: 'must be well-formed Unicode, without half a surrogate pair' }]
}
