import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Problem } from './problems.ts'

/** Marks our own answers: no answer of an app ever carries this header. */
const ERROR_HEADER = 'X-Berth-Error'

const SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Answers with a problem: a page for clients that accept HTML, else problem+json (RFC 9457). */
export function answerProblem(
  request: IncomingMessage,
  response: ServerResponse,
  problem: Problem,
  requestId: string,
): void {
  const { headers, body } = problemAnswer(problem, requestId, request.headers.accept ?? '', request.url ?? '')
  // With its own reason: Node would keep that of an answer which it has refused to write.
  response.writeHead(problem.status, STATUS_CODES[problem.status], headers)
  response.end(body)
}

/** The same as bytes, for a connection whose request could not be read. It is to be closed after them. */
export function rawProblem(problem: Problem, requestId: string): string {
  const { headers, body } = problemAnswer(problem, requestId, '', '')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const statusLine = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n`
  return `${statusLine}${lines.join('')}Connection: close\r\n\r\n${body}`
}

function problemAnswer(problem: Problem, requestId: string, accept: string, url: string) {
  const isPage = /\btext\/html\b|\bapplication\/xhtml\+xml\b/i.test(accept)
  const body = isPage ? page(problem, requestId) : json(problem, requestId, url)
  const headers = {
    'Content-Type': isPage ? 'text/html; charset=utf-8' : 'application/problem+json; charset=utf-8',
    'Content-Length': `${Buffer.byteLength(body)}`,
    'Cache-Control': 'no-store',
    Vary: 'Accept',
    [ERROR_HEADER]: problem.code,
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    ...(isPage ? { 'Content-Security-Policy': SECURITY_POLICY } : {}),
    ...(problem.retryAfterSeconds === null ? {} : { 'Retry-After': `${problem.retryAfterSeconds}` }),
  }
  return { headers, body }
}

function json({ status, code, title, detail }: Problem, requestId: string, url: string): string {
  // The query stays out: it may hold what should not be repeated in logs of answers.
  const instance = url.split('?', 1)[0] ?? ''
  const type = `urn:berth:problem:${code.toLowerCase().replaceAll('_', '-')}`
  return `${JSON.stringify({ type, title, status, detail, instance, code, requestId })}\n`
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')

function page({ status, code, title, detail }: Problem, requestId: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${status} · ${escaped(title)}</title>
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
  <footer>${code}<br>request ${escaped(requestId)}</footer>
</main>
</html>
`
}
