import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Hono } from 'hono'
import { answer, type ServerContext, type ServerEnv } from '../../http/context.ts'
import { answerPage, ICON_ADDRESS } from '../../http/page.ts'
import { etagOf, isUnchanged } from '../protocol/etag.ts'
import { errorsPage } from './errors-page.ts'
import { openApiDocument } from './openapi.ts'
import { scalarScript } from './scalar-script.ts'

/** Scripts from here only, and none inline. Scalar sets style attributes and shows icons as data. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Berth REST API</title>
<link rel="icon" href="${ICON_ADDRESS}">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<nav class="berth"><a href="/">Berth</a> <a href="/docs/errors">Error codes</a> <a href="/graphql">GraphQL</a>
<a href="/openapi.json">OpenAPI</a></nav>
<div id="docs"></div>
<script src="/docs/scalar.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const page = (name: string) => readFile(join(import.meta.dirname, 'page', name), 'utf8')

/** The parts of the page: nothing is fetched from elsewhere. Each is read when it is first asked for. */
const FILES: Record<string, { type: string; read: () => Promise<string> }> = {
  '/openapi.json': { type: 'application/json', read: async () => JSON.stringify(openApiDocument()) },
  '/docs/scalar.js': { type: 'text/javascript; charset=utf-8', read: scalarScript },
  '/docs/start.js': { type: 'text/javascript; charset=utf-8', read: () => page('start.js') },
  '/docs/style.css': { type: 'text/css; charset=utf-8', read: () => page('style.css') },
}

export function mountDocs(app: Hono<ServerEnv>): void {
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY }
  app.get('/docs', (c) => answer(c, 200, PAGE, headers))
  app.get('/docs/errors', (c) => answerPage(c, { title: 'Berth error codes', body: errorsPage() }))
  for (const [path, { type, read }] of Object.entries(FILES)) {
    let file: Promise<File> | undefined
    app.get(path, async (c) => {
      file ??= zipped(read)
      return answerFile(c, await file, type)
    })
  }
}

interface File {
  plain: Buffer<ArrayBuffer>
  zipped: Buffer<ArrayBuffer>
  etag: string
}

async function zipped(read: () => Promise<string>): Promise<File> {
  const plain = Buffer.from(await read())
  return { plain, zipped: await promisify(gzip)(plain), etag: etagOf(plain) }
}

/** Kept by browsers, and asked for again each time, so that a new version shows at once. */
function answerFile(c: ServerContext, file: File, type: string): Response {
  const headers = { ETag: file.etag, 'Cache-Control': 'no-cache', 'Content-Type': type, Vary: 'Accept-Encoding' }
  if (isUnchanged(c.req.header('if-none-match'), file.etag)) return answer(c, 304, null, headers)
  if (!c.req.header('accept-encoding')?.includes('gzip')) return answer(c, 200, file.plain, headers)
  return answer(c, 200, file.zipped, { ...headers, 'Content-Encoding': 'gzip' })
}
