import type { z } from 'zod'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/client.ts'
import type { Permission } from '../../domain/permissions.ts'
import type { NewEvent } from '../../events/event.ts'
import type { Vault } from '../../secrets/vault.ts'
import type { Caller, Scoped } from './caller.ts'

/** What both doors can say about how a write is to be carried out (contract §1). */
export interface CallOptions {
  requestId: string
  idempotencyKey?: string | undefined
  /** The version that the caller has read; anything else is PRECONDITION_FAILED. */
  expectedVersion?: number | undefined
  /** Answer when the operation has ended, or after so many seconds. */
  waitSeconds?: number | undefined
  /** Decide and answer, but change nothing. */
  dryRun?: boolean | undefined
  /** Separates the two doors' idempotency keys: `rest` or `graphql`. */
  api: string
  /** Ends a wait: the caller has gone, or (reason `ProcessEnding`) whoever waits is to be answered now. */
  signal?: AbortSignal | undefined
  /** Where the caller has reached the API, such as https://berth.example.com. */
  origin?: string | undefined
}

/** What a command acts on: enough to check permission and version, plus whatever the command loads for itself. */
export interface Target extends Scoped {
  type: 'account' | 'app' | 'appEnv' | 'operation' | 'user' | 'token' | 'credential' | 'volume' | 'host'
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
  /** Throws FORBIDDEN unless the caller may operate the environment, and RATE_LIMITED where it was operated too often. */
  permitOperation(on: { accountId: string; id: string }): Promise<void>
  /** To be written in the same transaction, after everything else. */
  announce(event: NewEvent): void
  /** For the audit entry, and the answer to a dry run. Never a secret. */
  auditDetails(details: Record<string, unknown>): void
  /** Names ids, and secrets, of what came into being. A dry run tells none of them: they will never exist. */
  created(...names: (string | undefined)[]): void
}

/** Answers are plain JSON: they are kept for idempotent repeats. */
export interface CommandResult {
  /** The resource that came into being, for the audit entry. */
  [key: string]: unknown
}

/** What a door renders: the result, and whether it is a repeat of an earlier answer. */
export interface Performed<Result = CommandResult> {
  result: Result
  replayed: boolean
  /** The earlier call waited for its operation and died: the answer is not the last word. */
  isUnfinished?: boolean
}

/**
 * One write, whole: what it takes, who may, what it acts on and what it does. The REST route, the GraphQL
 * mutation, their documentation, idempotency, versions, dry run, audit and events all follow from it.
 */
export interface Command<Shape extends z.ZodRawShape, On extends Target, Result extends CommandResult> {
  /** The GraphQL mutation's name, the REST operationId and the audit action. */
  name: string
  about: string
  input: z.ZodObject<Shape>
  permission: Permission
  /** What it is refused with when it was asked by accident: rollback, stop, delete (§4.1 rule 3). */
  dangerous?: boolean
  /** Loads and locks what is acted upon; throws NOT_FOUND. */
  target(context: CommandContext, input: z.output<z.ZodObject<Shape>>): Promise<On>
  execute(context: CommandContext, input: z.output<z.ZodObject<Shape>>, target: On): Promise<Result>
  /** The answer as it is once the operation that it began has ended, for calls that wait. */
  refresh?(tools: { database: Database; vault: Vault }, result: Result): Promise<Result>
}

/** Keeps a command's types together; adds nothing. */
export const command = <Shape extends z.ZodRawShape, On extends Target, Result extends CommandResult>(
  definition: Command<Shape, On, Result>,
): Command<Shape, On, Result> => definition

// biome-ignore lint/suspicious/noExplicitAny: the doors handle every command alike, whatever its types.
export type AnyCommand = Command<any, any, any>

export type ResultOf<C> = C extends Command<infer _S, infer _T, infer Result> ? Result : never
