import { join } from 'node:path'
import { ERROR_CATALOGUE } from '../../src/api/http/error-catalogue.ts'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  ms: number
}

export const SLOWEST_MS = 2_000
/** After which there is no answer, and not a slow one: long enough also for a machine that is busy. */
export const PATIENCE_MS = 20_000
/** What a stream that has nothing to tell is given before it is left. */
export const SILENCE_MS = 300

const ROOT = join(import.meta.dirname, '../..')

/** Words that only the inside of Berth has: none may leave it. What a case itself sent is taken out beforehand. */
const LEAKS: readonly RegExp[] = [
  /\bat (async )?[\w.<>[\] ]+ \([^)]*:\d+/,
  /\bfile:\/\/\/[\w/.-]+\.(m?[jt]s)/,
  /node_modules|node:internal/,
  /\.[mc]?[jt]s:\d+/,
  /Prisma|Pothos|\bzod\b|graphql-ws|dockerode|ECONNREFUSED|ENOENT/i,
  /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+("|\w+\.)/,
  /syntax error at|violates \w+(-\w+)? constraint|duplicate key value|invalid byte sequence|invalid input syntax/,
  /\b(relation|column) "\w+"|\b22P0\d\b|\b2202\d\b|\bP20\d\d\b|app_env\b|idempotency_record/,
  /(TypeError|RangeError|ReferenceError|SyntaxError)\b|Maximum call stack|is not a function|Cannot read propert/,
]

export function leakIn(text: string, sent: string): string | null {
  if (text.includes(ROOT)) return ROOT
  for (const leak of LEAKS) {
    const [found] = leak.exec(text) ?? []
    if (found && !sent.includes(found)) return found
  }
  return null
}

/** What is wrong with an answer, whoever asked whatever; null for nothing. */
export function faultOf(answer: Answer, sent: string, allowedMs = SLOWEST_MS): string | null {
  const { status, ms, text } = answer
  if (status >= 500) return `status ${status}`
  if (ms > allowedMs) return `took ${Math.round(ms)} ms`
  const leak = leakIn(text, sent)
  return leak ? `tells "${leak}"` : null
}

interface Body {
  code?: string
  status?: number
  requestId?: string
  errors?: { message?: unknown; extensions?: { code?: string; requestId?: string } }[]
  data?: unknown
}

/** What is wrong with the shape of a refusal by REST (RFC 9457, contract §1). */
export function problemFault({ status, headers, text }: Answer): string | null {
  if (status < 400) return null
  if (headers['content-type'] !== 'application/problem+json') return `refused as ${headers['content-type']}`
  const body = parsed(text)
  if (!body?.code || !(body.code in ERROR_CATALOGUE)) return `refused with the code ${body?.code}`
  if (body.status !== status) return `says ${body.status} and is ${status}`
  return body.requestId && headers['x-request-id'] ? null : 'has no request id'
}

/** The same for GraphQL, over any transport. */
export function graphqlFault(text: string): string | null {
  const body = parsed(text)
  if (!body) return 'is no JSON object'
  if (!body.errors) return 'data' in body ? null : 'has neither data nor errors'
  for (const error of body.errors) {
    const { code, requestId } = error.extensions ?? {}
    if (typeof error.message !== 'string' || !code || !(code in ERROR_CATALOGUE))
      return `has an error with code ${code}`
    if (code === 'INTERNAL') return 'is a fault of ours (INTERNAL)'
    if (code === 'UNAVAILABLE') return 'says UNAVAILABLE'
    if (!requestId) return 'has an error without a request id'
  }
  return null
}

function parsed(text: string): Body | null {
  try {
    const body = JSON.parse(text)
    return typeof body === 'object' && !Array.isArray(body) ? body : null
  } catch {
    return null
  }
}
