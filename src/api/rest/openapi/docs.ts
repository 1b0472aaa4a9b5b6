import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Hono } from 'hono'
import { answer, type ServerContext, type ServerEnv } from '../../http/context.ts'
import { etagOf, isUnchanged } from '../../http/etag.ts'
import { answerPage, ICON_ADDRESS } from '../../http/page.ts'
import { mountPageFiles, unpacked } from '../../http/page-files.ts'
import { errorsPage } from './errors-page.ts'
import { openApiDocument } from './openapi.ts'

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

const FILES = {
  '/docs/scalar.js': unpacked('scalar.js'),
  '/docs/start.js': join(import.meta.dirname, 'page/start.js'),
  '/docs/style.css': join(import.meta.dirname, 'page/style.css'),
}

export function mountDocs(app: Hono<ServerEnv>): void {
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY }
  app.get('/docs', (c) => answer(c, 200, PAGE, headers))
  app.get('/docs/errors', (c) => answerPage(c, { title: 'Berth error codes', body: errorsPage() }))
  mountPageFiles(app, FILES)
  let document: Promise<Document> | undefined
  app.get('/openapi.json', async (c) => {
    document ??= zippedDocument()
    return answerDocument(c, await document)
  })
}

interface Document {
  plain: Buffer<ArrayBuffer>
  zipped: Buffer<ArrayBuffer>
  etag: string
}

async function zippedDocument(): Promise<Document> {
  const plain = Buffer.from(JSON.stringify(openApiDocument()))
  return { plain, zipped: await promisify(gzip)(plain), etag: etagOf(plain) }
}

/** Kept by clients, and asked for again each time, so that a new version shows at once. */
function answerDocument(c: ServerContext, { plain, zipped, etag }: Document): Response {
  const headers = {
    ETag: etag,
    'Cache-Control': 'no-cache',
    'Content-Type': 'application/json',
    Vary: 'Accept-Encoding',
  }
  if (isUnchanged(c.req.header('if-none-match'), etag)) return answer(c, 304, null, headers)
  if (!c.req.header('accept-encoding')?.includes('gzip')) return answer(c, 200, plain, headers)
  return answer(c, 200, zipped, { ...headers, 'Content-Encoding': 'gzip' })
}
