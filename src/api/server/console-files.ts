import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { Readable } from 'node:stream'
import type { Hono } from 'hono'
import { notFound } from '../../domain/errors.ts'
import { answer, type ServerContext, type ServerEnv } from '../http/context.ts'
import { answerPage } from '../http/page.ts'
import { sessionIn } from '../http/session-cookie.ts'
import { headersOf } from '../http/signed-in.ts'

export const CONSOLE_PATH = '/console'

/** What `scripts/setup/build-console.mjs` has written. */
const FOLDER = join(import.meta.dirname, '../../../console/dist')

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** As a client may ask for it, the smallest first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** A name with a digest of what the file has, so that it never changes. */
const ASSET = /^\/console\/(assets\/[\w.-]+|icon\.svg)$/

/** Scripts and calls of this server only; styles of its files, and those that React Aria adds with the nonce. */
const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')

/** Nothing of the machine, but what copying needs. */
const PERMISSIONS =
  'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), midi=(), payment=(), usb=()'

/** The console: its files, which are streamed and never held in memory, and its page for every other address. */
export function mountConsole(app: Hono<ServerEnv>): void {
  app.get(CONSOLE_PATH, answerConsole)
  app.get(`${CONSOLE_PATH}/*`, (c) => {
    const asset = ASSET.exec(c.req.path)?.[1]
    if (asset) return answerAsset(c, asset)
    // A file that is gone after an upgrade is no page.
    if (c.req.path.startsWith(`${CONSOLE_PATH}/assets/`)) throw notFound('file', c.req.path)
    return answerConsole(c)
  })
}

async function answerConsole(c: ServerContext): Promise<Response> {
  // A session that is over is the page's to say: what was typed there is kept.
  if (sessionIn(headersOf(c)) === null) return answer(c, 303, null, { Location: signInAt(c) })
  const nonce = randomBytes(16).toString('base64url')
  const page = await readFile(join(FOLDER, 'index.html'), 'utf8').catch(() => null)
  if (page === null) return answerUnbuilt(c)
  return answer(c, 200, page.replace('%NONCE%', nonce), {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': policyWith(nonce),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': PERMISSIONS,
  })
}

const signInAt = (c: ServerContext): string => {
  const { pathname, search } = new URL(c.req.url)
  return `/sign-in?${new URLSearchParams({ next: pathname + search })}`
}

const answerUnbuilt = (c: ServerContext) =>
  answerPage(c, {
    title: 'The console is not built',
    status: 503,
    body: `<header><div><h1>The console is not built</h1></div></header>
<section><p><code>npm start</code> builds it. To build it alone, in the folder of Berth:</p>
<pre><code>npm run generate</code></pre></section>`,
  })

async function answerAsset(c: ServerContext, name: string): Promise<Response> {
  const path = join(FOLDER, normalize(name))
  const accepted = c.req.header('accept-encoding') ?? ''
  for (const [encoding, ending] of [...ENCODINGS, [null, ''] as const]) {
    if (encoding && !accepted.includes(encoding)) continue
    const found = await stat(path + ending).catch(() => null)
    if (!found) continue
    const headers: Record<string, string> = {
      'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
      'Content-Length': `${found.size}`,
      'Cache-Control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      Vary: 'Accept-Encoding',
    }
    if (encoding) headers['Content-Encoding'] = encoding
    if (c.req.method === 'HEAD') return answer(c, 200, null, headers)
    return answer(c, 200, Readable.toWeb(createReadStream(path + ending)) as ReadableStream, headers)
  }
  throw notFound('file', c.req.path)
}
