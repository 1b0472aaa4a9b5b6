import type { z } from 'zod'
import type { Config } from '../config/config.ts'
import type { ErrorCode } from '../domain/errors.ts'
import type { Permission } from '../domain/permissions.ts'
import type { WaitedStatus } from '../domain/waited-operation.ts'
import type { Database, Transaction } from '../storage/database/client.ts'
import type { NewEvent } from '../storage/events/event.ts'
import type { Vault } from '../storage/secrets/vault.ts'
import type { AddressOf } from './address.ts'
import type { Caller, Scoped } from './caller.ts'
import type { Example } from './examples.ts'
import type { Answer } from './resource.ts'
import type { WaitOutcomes } from './wait-outcome.ts'

/** Rate limits that both APIs share; without them nothing is counted. */
export interface OperationLimits {
  /** Counts an operation on an environment. Throws RATE_LIMITED. */
  consumeOperation(appEnvId: string): Promise<void>
  /** Counts a login that is tried at a registry. Throws RATE_LIMITED. */
  consumeLogin(accountId: string): Promise<void>
  /** Counts a read for which other machines are asked: DNS, git hosts. Throws RATE_LIMITED. */
  consumeLookup(accountId: string): Promise<void>
}

/** Options of a write that both APIs accept (contract §1). */
export interface CallOptions {
  requestId: string
  idempotencyKey?: string | undefined
  /** The version that the caller has read; any other is PRECONDITION_FAILED. */
  expectedVersion?: number | undefined
  /** Wait this many seconds at most for the operation to end, then answer. */
  waitSeconds?: number | undefined
  /** Decide and answer, but change nothing. */
  dryRun?: boolean | undefined
  /** Keeps the idempotency keys of the two APIs apart: `rest` or `graphql`. */
  api: string
  /** Ends a wait: the caller has gone or, with reason `ProcessEnding`, must be answered now. */
  signal?: AbortSignal | undefined
  /** The address at which the caller reached the API, such as https://berth.example.com. */
  origin?: string | undefined
  /** Of the client, as far as trusted proxies say, for the audit log. */
  address?: string | undefined
}

/** What a command asks a third party with, before its transaction. */
export interface PrepareTools {
  config: Config
  database: Database
  vault: Vault
  limits?: OperationLimits | undefined
}

/** The target of a command: enough to check permission and version, plus whatever the command loads for itself. */
export interface Target extends Scoped {
  type:
    | 'account'
    | 'app'
    | 'appEnv'
    | 'operation'
    | 'user'
    | 'token'
    | 'session'
    | 'credential'
    | 'volume'
    | 'backup'
    | 'host'
    | 'jobRun'
    | 'installation'
    | 'plan'
    | 'region'
    | 'webhook'
    | 'webhookDelivery'
    | 'budget'
    | 'gitHook'
    | 'authorization'
    | 'oauthClient'
  /** Null while it is being created. */
  id: string | null
  version?: number
}

export interface CommandContext {
  tx: Transaction
  caller: Caller
  requestId: string
  config: Config
  vault: Vault
  origin?: string | undefined
  /** What the command's own `prepare` returned. */
  prepared: unknown
  /** Throws FORBIDDEN unless the caller may operate the environment, and RATE_LIMITED where it was operated too often. */
  permitOperation(on: { accountId: string; id: string }): Promise<void>
  /** Writes the event in the same transaction, after everything else. Another account than the target's is named. */
  announce(event: NewEvent, accountId?: string): void
  /** For the audit entry, and the answer to a dry run. Never a secret. */
  auditDetails(details: Record<string, unknown>): void
  /** Names ids, and secrets, of new resources, and values of the result that hold them. The answer to a dry run leaves them out: they will never exist. */
  created(...values: unknown[]): void
}

/** Answers are plain JSON, because idempotent repeats read them from the database. */
export interface CommandResult {
  /** The operation that the call has begun, or those in several environments. */
  operationId?: string | null
  operationIds?: readonly string[]
  /** The id of the new resource, for the audit entry. */
  [key: string]: unknown
}

/** What an API renders: the result, and whether it repeats an earlier answer. */
export interface Performed<Result = CommandResult> {
  result: Result
  replayed: boolean
  /** The earlier call died while it waited for its operation: its answer is not final. */
  isUnfinished?: boolean
}

/** How far the work is that a call has begun. */
export interface Progress {
  hasEnded: boolean
  /** The account whose events announce changes of it; without one, it is polled once a second. */
  accountId?: string | null | undefined
}

/** How a write is called over REST. */
export interface RestWrite {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below /api/public/v1. */
  path: string
  /** The answer's exact shape: further fields of the result are for headers, or for the other API. */
  answer: Answer
  /** Refusals say `success: false` (contract §1, Errors). */
  isLifecycle?: true
  /** Fields that REST has always required, and other APIs need not be sent. */
  required?: readonly string[]
  /** Another path, with the operationId that older clients know. */
  alias?: { path: string; name: string }
}

/**
 * Everything about one write: input, permission, target and effect. The REST route, the GraphQL mutation, their
 * documentation, idempotency, versions, dry run, audit and events all follow from it.
 */
export interface Command<Shape extends z.ZodRawShape, On extends Target, Result extends CommandResult> {
  /** The GraphQL mutation's name, the REST operationId and the audit action. */
  name: string
  /** Absent: it is called by a person’s browser alone. */
  rest?: RestWrite
  /** What it acts on has a version that the caller can insist on. */
  versioned?: true
  /** It may begin an operation, a run or other work, whose end the caller can wait for. */
  waits?: true
  about: string
  example?: Example
  input: z.ZodObject<Shape>
  /** Turns what older clients send into what the input accepts today, before it is validated. */
  modernise?(sent: Readonly<Record<string, unknown>>): Record<string, unknown>
  permission: Permission
  /** A call by accident would do damage: rollback, stop, delete (§4.1 rule 3). */
  dangerous?: boolean
  /** Asks a third party before the transaction begins; again for a repeat, and not for a dry run. */
  prepare?: {
    /** What the permission is checked on, before the question; null where the call cannot succeed. */
    on(tools: PrepareTools, address: AddressOf<Shape>): Promise<Scoped | null>
    /** Returns refusals instead of throwing them. */
    ask(tools: PrepareTools, caller: Caller, input: z.output<z.ZodObject<Shape>>): Promise<unknown>
  }
  /**
   * Loads and locks the target; throws NOT_FOUND. Runs before the caller's permission is checked, and so gets only the
   * part of the input that names the target.
   */
  target(context: CommandContext, address: AddressOf<Shape>): Promise<On>
  /** Decides and writes. The first to read all of the input; throws INVALID_INPUT for what its schema cannot say. */
  execute(context: CommandContext, input: z.output<z.ZodObject<Shape>>, target: On): Promise<Result>
  /** Seconds that a call over REST waits for when it names none. */
  defaultWaitSeconds?: number
  /** Of work that is no operation, or goes on after the operations that the call itself has begun. */
  progress?: {
    observe(database: Database, result: Result): Promise<Progress>
    /**
     * The answer to a call that has waited, in place of `refresh`, with the outcome for Operation-Status. Throws to
     * refuse after all.
     */
    answer(database: Database, result: Result): Promise<Result & { operationStatus: WaitedStatus }>
    /** Codes that `answer` refuses with and not every write: the documentation names them. */
    refusals?: readonly ErrorCode[]
  }
  /**
   * For calls that wait: the answer once the operations have ended, or the wait is over. Throws to refuse after all.
   */
  refresh?(
    tools: { database: Database; vault: Vault; config: Config },
    result: Result,
    outcomes: WaitOutcomes,
  ): Promise<Result>
}

/** Keeps a command's types together; adds nothing. */
export const command = <Shape extends z.ZodRawShape, On extends Target, Result extends CommandResult>(
  definition: Command<Shape, On, Result>,
): Command<Shape, On, Result> => definition

// biome-ignore lint/suspicious/noExplicitAny: both APIs handle every command alike, whatever its types.
export type AnyCommand = Command<any, any, any>

export type ResultOf<C> = C extends Command<infer _S, infer _T, infer Result> ? Result : never

/** Whether the call has begun anything that it could wait for. */
export const hasBegun = ({ progress }: AnyCommand, result: CommandResult): boolean =>
  progress !== undefined || operationsOf(result).length > 0

/** The operations that a call may wait for. */
export const operationsOf = ({ operationId, operationIds = [] }: CommandResult): readonly string[] =>
  operationId ? [operationId] : operationIds

/** Where clients reach the API: as this one did, unless the installation sets another address. */
export const originOf = ({ config, origin }: Pick<CommandContext, 'config' | 'origin'>): string =>
  (config.BERTH_API_URL ?? origin ?? `http://${config.HOST}:${config.PORT}`).replace(/\/$/, '')
