import type { CombinedError } from 'urql'

/** Why the API refused a call, or a part of one. `code` and `reason` are those of `/docs/errors`. */
export interface Refusal {
  code: string
  reason: string | null
  message: string
  requestId: string | null
  /** The field of the answer that is missing for it; null where it is the whole. */
  path: string | null
  /** What is wrong with each field of the input, by its path. */
  fields: Readonly<Record<string, string>>
  /** Where a subscription continues that asked for events which are no longer kept. */
  continueAfter: string | null
  retryAfterSeconds: number | null
}

interface Extensions {
  code?: string
  reason?: string
  requestId?: string
  fields?: { field: string; message: string }[]
  continueAfter?: string
  retryAfterSeconds?: number
}

/** As GraphQL sends it, over HTTP and WebSockets. */
export interface SentError {
  message: string
  path?: readonly (string | number)[] | undefined
  extensions?: object | undefined
}

export function refusalOf({ message, path, extensions }: SentError): Refusal {
  const {
    code = 'INTERNAL',
    reason,
    requestId,
    fields,
    continueAfter,
    retryAfterSeconds,
  } = (extensions ?? {}) as Extensions
  return {
    code,
    reason: reason ?? null,
    message,
    requestId: requestId ?? null,
    path: path?.join('.') ?? null,
    fields: Object.fromEntries((fields ?? []).map((problem) => [problem.field, problem.message])),
    continueAfter: continueAfter ?? null,
    retryAfterSeconds: retryAfterSeconds ?? null,
  }
}

/** Not an answer of the API: nothing came back. */
export const NO_ANSWER: Refusal = {
  ...refusalOf({ message: 'Berth does not answer. Nothing that you entered is lost; try again.' }),
  code: 'NO_ANSWER',
}

/** In the order of the answer; one of NO_ANSWER where there was none. */
export function refusalsOf(error: CombinedError | undefined): Refusal[] {
  if (!error) return []
  if (error.graphQLErrors.length > 0) return error.graphQLErrors.map(refusalOf)
  return [NO_ANSWER]
}
