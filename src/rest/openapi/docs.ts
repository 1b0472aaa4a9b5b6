import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Hono } from 'hono'
import { answer, type ServerContext, type ServerEnv } from '../../http/context.ts'
import { ERROR_CATALOGUE } from '../../http/error-catalogue.ts'
import { etagOf, isUnchanged } from '../protocol/etag.ts'
import { openApiDocument } from './openapi.ts'

/** Swagger UI, whose files come with the program: nothing is fetched from elsewhere. */
const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

const HTML = 'text/html; charset=utf-8'

/** Scripts from here only, and none inline. Swagger UI sets style attributes and shows icons as data. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Berth REST API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<p><a href="/docs/errors">Error codes</a> · <a href="/openapi.json">OpenAPI document</a> · <a href="/graphql">GraphQL</a></p>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

// validatorUrl: Swagger UI would otherwise send the document's address to a host of its makers.
const START = `SwaggerUIBundle({
  url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null, docExpansion: 'list', filter: true,
  showExtensions: true,
})
`

const STYLE = `body { font-family: system-ui, sans-serif; margin: 1rem auto; max-width: 75rem; padding: 0 1rem }
table { border-collapse: collapse }
th, td { border-bottom: 1px solid #ddd; padding: 0.5rem 1rem 0.5rem 0; text-align: left; vertical-align: top }
tr:target { background: #fff3c4 }
`

export function mountDocs(app: Hono<ServerEnv>): void {
  // Printing it takes a good part of a start, and most processes are never asked for it.
  let text: string | undefined
  app.get('/openapi.json', (c) => {
    text ??= JSON.stringify(openApiDocument())
    return answerCached(c, text, 'application/json')
  })
  const page = { 'Content-Type': HTML, 'Content-Security-Policy': POLICY }
  app.get('/docs', (c) => answer(c, 200, PAGE, page))
  app.get('/docs/errors', (c) => answer(c, 200, errorsPage(), page))
  app.get('/docs/style.css', (c) => answerCached(c, STYLE, 'text/css; charset=utf-8'))
  app.get('/docs/start.js', (c) => answerCached(c, START, 'text/javascript; charset=utf-8'))
  for (const [name, type] of Object.entries(ASSETS)) {
    const file = fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))
    app.get(`/docs/${name}`, async (c) => answerCached(c, await readFile(file), type))
  }
}

/** Kept by browsers, and asked for again each time, so that a new version shows at once. */
function answerCached(c: ServerContext, body: string | Buffer<ArrayBuffer>, type: string): Response {
  const etag = etagOf(body)
  const headers = { ETag: etag, 'Cache-Control': 'no-cache', 'Content-Type': type }
  return isUnchanged(c.req.header('if-none-match'), etag)
    ? answer(c, 304, null, headers)
    : answer(c, 200, body, headers)
}

function errorsPage(): string {
  const rows = Object.entries(ERROR_CATALOGUE).map(([code, { status, meaning }]) => {
    return `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${meaning.replace(/`([^`]+)`/g, '<code>$1</code>')}</td></tr>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Berth error codes</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<h1>Error codes</h1>
<p>The same codes in REST (<code>code</code>) and GraphQL (<code>extensions.code</code>). A finer <code>reason</code> stands beside many of them.</p>
<table>
<tr><th>Code</th><th>HTTP status</th><th>Meaning</th></tr>
${rows.join('\n')}
</table>
</body>
</html>
`
}
