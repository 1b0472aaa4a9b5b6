import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Hono } from 'hono'
import { invalidField } from '../../../domain/errors.ts'
import { LOG_FILE_PATH } from '../../../services/log/download-logs.ts'
import { answer, type ServerEnv } from '../../http/context.ts'
import type { RestDependencies } from '../protocol/route.ts'

const TYPES = { ndjson: 'application/x-ndjson', text: 'text/plain; charset=utf-8' } as const

/** Streams lines of logs as a file. The authorization is in the address. */
export function mountLogFiles(app: Hono<ServerEnv>, { services }: RestDependencies): void {
  app.get(LOG_FILE_PATH, async (c) => {
    c.set('route', LOG_FILE_PATH)
    const { asked, expires, signature } = c.req.query()
    if (!asked || !expires || !signature)
      throw invalidField('signature', 'is part of the download URL; use it as it was given')
    const { name, format, isZipped, content } = await services.logs.file({ asked, expires, signature })
    const takesZipped = !isZipped && Boolean(c.req.header('accept-encoding')?.includes('gzip'))
    const headers = {
      'Content-Type': isZipped ? 'application/gzip' : TYPES[format],
      'Content-Disposition': `attachment; filename="${name}"`,
      Vary: 'Accept-Encoding',
      ...(takesZipped ? { 'Content-Encoding': 'gzip' } : {}),
    }
    if (c.req.raw.method === 'HEAD') {
      content.destroy()
      return answer(c, 200, null, headers)
    }
    c.req.raw.signal.addEventListener('abort', () => content.destroy(), { once: true })
    // An error on the way ends the connection without the end of the body, so that no client takes it for whole.
    const body = isZipped || takesZipped ? pipeline(content, createGzip(), () => undefined) : content
    return answer(c, 200, Readable.toWeb(body) as ReadableStream<Uint8Array>, headers)
  })
}
