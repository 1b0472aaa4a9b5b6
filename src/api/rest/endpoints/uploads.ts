import type { Hono } from 'hono'
import { invalidField } from '../../../domain/errors.ts'
import { tooLarge } from '../../../services/upload/receive-upload.ts'
import { UPLOAD_PATH } from '../../../services/upload/request-storage-key.ts'
import { answerJson, type ServerEnv } from '../../http/context.ts'
import { streamBody } from '../../http/request-body.ts'
import type { RestDependencies } from '../protocol/route.ts'

const BYTES_PER_MB = 1024 * 1024

/** Takes an archive as a stream: the one path whose body is no JSON, and whose authorization is in its address. */
export function mountUploads(app: Hono<ServerEnv>, { services, config }: RestDependencies): void {
  app.put(UPLOAD_PATH, async (c) => {
    c.set('route', UPLOAD_PATH)
    const { storageKey, secret } = c.req.query()
    if (!storageKey || !secret) throw invalidField('storageKey', 'is part of the upload URL; use it as it was given')
    const limitMb = config.BERTH_SOURCE_LIMIT_MB
    const length = c.req.header('content-length')
    const declaredBytes = length === undefined ? undefined : Number(length)
    const body = streamBody(c.req.raw, limitMb * BYTES_PER_MB, () => tooLarge(limitMb))
    if (!body) throw invalidField('body', 'must be the archive')
    return answerJson(c, 200, await services.uploads.receive({ storageKey, secret, declaredBytes }, body))
  })
}
