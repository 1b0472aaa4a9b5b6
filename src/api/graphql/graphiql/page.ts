import { join } from 'node:path'
import type { Hono } from 'hono'
import type { ServerEnv } from '../../http/context.ts'
import { ICON_ADDRESS } from '../../http/page.ts'
import { mountPageFiles, unpacked } from '../../http/page-files.ts'

/** Scripts and workers from here only, and none inline. The editor sets styles, and its fonts are data. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Berth GraphiQL</title>
<link rel="icon" href="${ICON_ADDRESS}">
<link rel="stylesheet" href="/graphql/graphiql.css">
</head>
<body id="body" class="no-focus-outline">
<noscript>GraphiQL needs JavaScript.</noscript>
<div id="root"></div>
<script src="/graphql/graphiql.js"></script>
<script src="/graphql/fetcher.js"></script>
<script src="/graphql/start.js"></script>
</body>
</html>
`

const FILES = {
  '/graphql/graphiql.js': unpacked('graphiql.js'),
  '/graphql/graphiql.css': unpacked('graphiql.css'),
  '/graphql/editor-worker.js': unpacked('graphiql-editor-worker.js'),
  '/graphql/json-worker.js': unpacked('graphiql-json-worker.js'),
  '/graphql/graphql-worker.js': unpacked('graphiql-graphql-worker.js'),
  '/graphql/fetcher.js': join(import.meta.dirname, 'fetcher.js'),
  '/graphql/start.js': join(import.meta.dirname, 'start.js'),
}

/** A browser that opens the address, as opposed to an API client. */
export const wantsPage = (request: Request): boolean =>
  request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html')

export function answerPage(): Response {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'cache-control': 'no-cache',
    vary: 'accept',
  }
  return new Response(PAGE, { headers })
}

/** All of GraphiQL from this server alone: no script, style, font or image comes from anywhere else. */
export const mountGraphiqlFiles = (app: Hono<ServerEnv>): void => mountPageFiles(app, FILES)
