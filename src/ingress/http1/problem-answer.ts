import { STATUS_CODES } from 'node:http'
import { type ClientAnswer, headerLines } from './client-answer.ts'
import type { Problem } from './problems.ts'
import type { RequestHead } from './request-head.ts'

/** Marks our own answers: no answer of an app ever carries this header. */
const ERROR_HEADER = 'X-Berth-Error'

const reasonOf = ({ status }: Problem) => STATUS_CODES[status] ?? ''

const SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

interface Answerable {
  head: RequestHead
  answer: ClientAnswer
}

/** Answers with a problem: a page for clients that accept HTML, else problem+json (RFC 9457). */
export function answerProblem({ head, answer }: Answerable, problem: Problem, requestId: string): void {
  const { method, target } = head
  // Reloading asks with GET: after any other method it would show another page.
  const reloads = method === 'GET' || method === 'HEAD'
  const { headers, body } = problemAnswer(problem, { requestId, accept: head.get('accept') ?? '', target, reloads })
  answer.begin({ status: problem.status, reason: reasonOf(problem), headers, length: 'given', hasDate: false })
  answer.end(method === 'HEAD' ? '' : body)
}

/** The same as bytes, for a connection whose request could not be read. It is to be closed after them. */
export function rawProblem(problem: Problem, requestId: string): string {
  const { headers, body } = problemAnswer(problem, { requestId, accept: '', target: '', reloads: false })
  return `HTTP/1.1 ${problem.status} ${reasonOf(problem)}\r\n${headerLines(headers)}Connection: close\r\n\r\n${body}`
}

interface Asked {
  requestId: string
  accept: string
  target: string
  /** Whether a browser may retry automatically. */
  reloads: boolean
}

function problemAnswer(problem: Problem, { requestId, accept, target, reloads }: Asked) {
  const isPage = /\btext\/html\b|\bapplication\/xhtml\+xml\b/i.test(accept)
  const body = isPage
    ? page(problem, requestId, reloads ? reloadSeconds(problem) : null)
    : json(problem, requestId, target)
  const headers = [
    'Content-Type',
    isPage ? 'text/html; charset=utf-8' : 'application/problem+json; charset=utf-8',
    'Content-Length',
    `${Buffer.byteLength(body)}`,
    'Cache-Control',
    'no-store',
    'Vary',
    'Accept',
    ERROR_HEADER,
    problem.code,
    'X-Request-Id',
    requestId,
    'X-Content-Type-Options',
    'nosniff',
    ...(isPage ? ['Content-Security-Policy', SECURITY_POLICY] : []),
    ...(problem.retryAfterSeconds === null ? [] : ['Retry-After', `${problem.retryAfterSeconds}`]),
  ]
  // Of one character a byte, as the rest of an answer is.
  return { headers, body: Buffer.from(body).toString('latin1') }
}

function json({ status, code, title, detail }: Problem, requestId: string, target: string): string {
  // The query stays out: it may hold what should not be repeated in logs of answers.
  const instance = target.split('?', 1)[0] ?? ''
  const type = `urn:berth:problem:${code.toLowerCase().replaceAll('_', '-')}`
  return `${JSON.stringify({ type, title, status, detail, instance, code, requestId })}\n`
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')

/** A problem without a time of its own ends when the app is started or deployed. */
const SLOW_RELOAD_SECONDS = 15

/** The page of a temporary problem reloads itself; not for a client with too many requests, which it would increase. */
const reloadSeconds = ({ status, retryAfterSeconds }: Problem): number | null =>
  status === 503 ? (retryAfterSeconds ?? SLOW_RELOAD_SECONDS) : status === 502 ? retryAfterSeconds : null

function page({ status, code, title, detail }: Problem, requestId: string, reload: number | null): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${reload === null ? '' : `<meta http-equiv="refresh" content="${reload}">\n`}<title>${status} · ${escaped(title)}</title>
<style>
  :root { color-scheme: light dark }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1rem/1.6 system-ui, sans-serif;
         background: light-dark(#f4f6f8, #10161c); color: light-dark(#1c2733, #dbe4ec) }
  main { max-width: 34rem; margin: 1.5rem; padding: 2rem 2.25rem; border-radius: .75rem;
         background: light-dark(#fff, #18212a); border: 1px solid light-dark(#dde4ea, #283440) }
  b { font-size: .85rem; letter-spacing: .08em; color: light-dark(#0b6b74, #5cc3cd) }
  h1 { margin: .25rem 0 .75rem; font-size: 1.5rem; line-height: 1.25 }
  p { margin: 0; overflow-wrap: anywhere }
  footer { margin-top: 1.5rem; font: .8rem/1.5 ui-monospace, monospace; opacity: .65; overflow-wrap: anywhere }
</style>
<main>
  <b>${status}</b>
  <h1>${escaped(title)}</h1>
  <p>${escaped(detail)}</p>
  <footer>${code}<br>request ${escaped(requestId)}${reload === null ? '' : `<br>this page reloads every ${reload} s`}</footer>
</main>
</html>
`
}
