import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Hono } from 'hono'
import { answer, type ServerContext, type ServerEnv } from './context.ts'
import { isUnchanged } from './etag.ts'

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** A file that `scripts/setup/unpack-pages.mjs` has written. */
export const unpacked = (name: string): string => join(import.meta.dirname, 'generated', `${name}.gz`)

/**
 * Scripts and styles of pages, by their address: files on disk, zipped if their name ends in .gz. Each is streamed to
 * whom it is for, and none is held in memory, because they are megabytes that most processes never serve. `headers` are
 * for all of them.
 */
export function mountPageFiles(
  app: Hono<ServerEnv>,
  files: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): void {
  for (const [address, path] of Object.entries(files)) app.get(address, (c) => answerFile(c, address, path, headers))
}

/** Kept by browsers, and asked for again each time, so that a new version shows at once. */
async function answerFile(
  c: ServerContext,
  address: string,
  path: string,
  more: Readonly<Record<string, string>>,
): Promise<Response> {
  const { size, mtimeMs } = await stat(path)
  const isZipped = path.endsWith('.gz')
  const takesZipped = isZipped && Boolean(c.req.header('accept-encoding')?.includes('gzip'))
  const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}${takesZipped ? '-gzip' : ''}"`
  const headers: Record<string, string> = {
    ...more,
    ETag: etag,
    'Cache-Control': 'no-cache',
    'Content-Type': TYPES[extname(address)] ?? 'application/octet-stream',
    Vary: 'Accept-Encoding',
  }
  if (isUnchanged(c.req.header('if-none-match'), etag)) return answer(c, 304, null, headers)
  if (takesZipped) headers['Content-Encoding'] = 'gzip'
  if (takesZipped || !isZipped) headers['Content-Length'] = `${size}`
  if (c.req.method === 'HEAD') return answer(c, 200, null, headers)
  const file = createReadStream(path)
  // What breaks one of both ends the other; the one that is read reports it.
  const body = isZipped && !takesZipped ? pipeline(file, createGunzip(), () => {}) : file
  return answer(c, 200, Readable.toWeb(body) as ReadableStream, headers)
}
