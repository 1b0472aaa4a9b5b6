import type { ErrorCode } from '../../domain/errors.ts'

interface CatalogueEntry {
  status: number
  title: string
  /** What it means and what to do about it, for the documentation. */
  meaning: string
}

/** Every code, with its status. A new code does not compile until it is listed here. */
export const ERROR_CATALOGUE = {
  INVALID_INPUT: {
    status: 400,
    title: 'Invalid input',
    meaning:
      'A field is missing, wrong or unknown; `errors` names each. Correct the request. With status 405 and the reason METHOD_NOT_ALLOWED: the path exists, but not with this method.',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'Not authenticated',
    meaning: 'The Authorization header is missing, or its token is unknown, expired or revoked.',
  },
  FORBIDDEN: {
    status: 403,
    title: 'Not permitted',
    meaning: 'The token is valid, but lacks the role, scope or membership that this call needs; `reason` says which.',
  },
  NOT_FOUND: { status: 404, title: 'Not found', meaning: 'Nothing has that id or name, or the path does not exist.' },
  CONFLICT: {
    status: 409,
    title: 'Conflict',
    meaning: 'The request is well-formed, but the present state does not allow it; `reason` says why.',
  },
  CURSOR_EXPIRED: {
    status: 410,
    title: 'Cursor expired',
    meaning: 'The events after this cursor are no longer kept. Read the present state, and follow from there.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    title: 'Precondition failed',
    meaning: 'If-Match names another version than the present one. Read the resource again and repeat.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'Payload too large',
    meaning: 'The body exceeds the limit (1 MiB by default).',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'Bodies are JSON: send Content-Type: application/json.',
  },
  IDEMPOTENCY_MISMATCH: {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'This Idempotency-Key was used with another request. Use a new key for a new request.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'The budget of the account, of the client’s address, or of operations on the environment is used up. Wait as Retry-After says.',
  },
  INTERNAL: {
    status: 500,
    title: 'Internal error',
    meaning: 'A fault of Berth. Its details are in the server’s log under the requestId.',
  },
  INSTALLATION_INCOMPLETE: {
    status: 502,
    title: 'Installation incomplete',
    meaning: 'A solution was created in part. Repeat the request with the installationId to create the rest.',
  },
  UNAVAILABLE: {
    status: 503,
    title: 'Unavailable',
    meaning:
      'A part that is needed, such as the database, does not answer. Repeat after Retry-After; with an Idempotency-Key that is safe.',
  },
  RUNTIME_UNAVAILABLE: {
    status: 503,
    title: 'Container engine unavailable',
    meaning: 'The call needs an answer from the container engine, which cannot be reached.',
  },
} as const satisfies Record<ErrorCode, CatalogueEntry>

export const STATUS_OF = Object.fromEntries(
  Object.entries(ERROR_CATALOGUE).map(([code, { status }]) => [code, status]),
) as Record<ErrorCode, number>
