import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { defaultQuery } from './default-query.ts'

/** GraphiQL's options. `Authorization` is ready to be filled in; the tab keeps it for its session, and GraphiQL does not. */
const OPTIONS = {
  title: 'Berth GraphiQL',
  headers: JSON.stringify({ Authorization: '<token>' }, null, 2),
  defaultQuery,
  defaultEditorToolsVisibility: 'headers',
  shouldPersistHeaders: false,
} as const

interface Page {
  plain: Buffer<ArrayBuffer>
  zipped: Buffer<ArrayBuffer>
  headers: Record<string, string>
}

let page: Promise<Page> | null = null

/** A browser that opens the address, as opposed to an API client. */
export const wantsPage = (request: Request): boolean =>
  request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html')

/** All of GraphiQL from this server alone: no script, style, font or image comes from anywhere else. */
export async function answerPage(request: Request): Promise<Response> {
  page ??= build()
  const { plain, zipped, headers } = await page
  if (!request.headers.get('accept-encoding')?.includes('gzip')) return new Response(plain, { headers })
  return new Response(zipped, { headers: { ...headers, 'content-encoding': 'gzip' } })
}

/** Created on the first request: it is nine megabytes of script, which most processes never need. */
async function build(): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const fetcher = await readFile(join(import.meta.dirname, 'fetcher.js'), 'utf8')
  const html = withFetcher(renderGraphiQL(OPTIONS as Parameters<typeof renderGraphiQL>[0]), fetcher)
  const plain = Buffer.from(html)
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyFor(html),
    'cache-control': 'no-cache',
    vary: 'accept, accept-encoding',
  }
  return { plain, zipped: await promisify(gzip)(plain), headers }
}

/** Yoga's page cannot send the headers editor's token over a WebSocket, so it uses our own fetcher. */
function withFetcher(html: string, fetcher: string): string {
  const options = JSON.stringify(OPTIONS)
  const script = html.indexOf('<script>', html.indexOf('<div id="root">'))
  const end = html.lastIndexOf(options)
  if (script < 0 || end < script) throw new Error('GraphiQL rendered a page of an unknown format')
  const own = `<script>(() => {\n${fetcher}})()</script>\n`
  const drawn = `globalThis.berthOptions(${options})`
  return html.slice(0, script) + own + html.slice(script, end) + drawn + html.slice(end + options.length)
}

/** Only the page's own scripts run, by their hashes; the editor's workers are blobs that these scripts create. */
function policyFor(html: string): string {
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script]) => script ?? '')
  const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  return [
    "default-src 'none'",
    `script-src ${hashes.join(' ')} blob:`,
    'worker-src blob:',
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
