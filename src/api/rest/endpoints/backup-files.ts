import { Readable } from 'node:stream'
import type { Hono } from 'hono'
import { invalidField } from '../../../domain/errors.ts'
import { BACKUP_FILE_PATH } from '../../../services/backup/download-backup.ts'
import { answer, type ServerEnv } from '../../http/context.ts'
import type { RestDependencies } from '../protocol/route.ts'

/** Streams the content of a backup, decrypted. The authorization is in the address. */
export function mountBackupFiles(app: Hono<ServerEnv>, { services }: RestDependencies): void {
  app.get(BACKUP_FILE_PATH, async (c) => {
    c.set('route', BACKUP_FILE_PATH)
    const { backupKey, expires, signature } = c.req.query()
    if (!backupKey || !expires || !signature)
      throw invalidField('signature', 'is part of the download URL; use it as it was given')
    const { name, content } = await services.backups.read({ backupKey, expires, signature }, c.req.raw.signal)
    // What is damaged ends the connection without the end of the body, so that no client takes it for whole.
    const body = Readable.toWeb(Readable.from(content)) as ReadableStream<Uint8Array>
    return answer(c, 200, body, {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="${name}"`,
    })
  })
}
