import type { z } from 'zod'
import type { Caller } from '../../../calls/caller.ts'
import type { AnyCommand } from '../../../calls/command.ts'
import type { Example } from '../../../calls/examples.ts'
import type { Config } from '../../../config/config.ts'
import type { ErrorCode } from '../../../domain/errors.ts'
import type { Permission } from '../../../domain/permissions.ts'
import type { Services } from '../../../services/services.ts'

/** The path of v1 (§9 rule 1). */
export const BASE_PATH = '/api/public/v1'

export interface RestDependencies {
  services: Services
  config: Config
  /** Fires when the process is about to end: calls that wait for an operation answer with the current state. */
  draining: AbortSignal
}

/** What a read may use. */
export interface ReadContext {
  services: Services
  config: Config
  caller: Caller
  requestId: string
  origin?: string | undefined
}

/** A success in REST's shape: its body, and additional headers. */
export interface RouteAnswer {
  text: string
  headers: Record<string, string>
}

/** Everything about one GET: input, answer and handler. Its route and its documentation follow from it. */
export interface Read<Query extends z.ZodRawShape, Answer extends z.ZodRawShape> {
  /** The operationId. */
  name: string
  /** What the services ask the caller for; the tests compare the two. */
  permission: Permission
  about: string
  example: Example
  query: z.ZodObject<Query>
  answer: z.ZodObject<Answer>
  /** A single resource has an ETag, and answers If-None-Match. */
  isSingle?: boolean
  /** Its query has `format`, and `Accept: text/csv` means the same. */
  mayBeCsv?: boolean
  /** Codes that not every read may be refused with. */
  refusals: readonly ErrorCode[]
  run(context: ReadContext, query: z.output<z.ZodObject<Query>>): Promise<object>
}

// biome-ignore lint/suspicious/noExplicitAny: the router handles every read alike, whatever its types.
export type AnyRead = Read<any, any>

interface AnyRoute {
  path: string
  /** The name of the group of calls that lists it: its tag in the documentation. */
  group: string
}

export interface ReadRoute extends AnyRoute {
  method: 'GET'
  read: AnyRead
}

export interface WriteRoute extends AnyRoute {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  command: AnyCommand
  /** The answer's exact shape: further fields of a command's result are for headers, or for the other API. */
  answer: z.ZodObject
  /** Refusals say `success: false` (contract §1, Errors). */
  isLifecycle: boolean
  /** The operationId of a path that leads to the command of another path, under the name that older clients know. */
  alias?: string
}

export type Route = ReadRoute | WriteRoute
