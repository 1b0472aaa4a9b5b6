import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { storageKeyOf, uploadFile, uploadsFolder } from '../../config/upload-files.ts'
import type { Database } from '../../storage/database/client.ts'

const DAY_MS = 86_400_000
/** Newest archives of each environment, which can be built again. */
const KEPT = 5

/** Removes archives that will not be built any more from this machine's disk. */
export async function sweepUploads(config: Config, database: Database): Promise<void> {
  const folder = uploadsFolder(config)
  const names = await readdir(folder).catch(() => [])
  if (names.length === 0) return
  await database.$executeRaw`
    DELETE FROM upload u WHERE (u.uploaded_at IS NULL AND u.expires_at < now())
      OR (u.uploaded_at < now() - interval '1 day' AND u.id NOT IN (
        SELECT n.id FROM upload n WHERE n.app_env_id = u.app_env_id ORDER BY n.id DESC LIMIT ${KEPT}))`
  const ids = names.map(storageKeyOf)
  const known = await database.upload.findMany({ where: { id: { in: ids } }, select: { id: true, sha256: true } })
  const kept = new Set(known.flatMap(({ id, sha256 }) => (sha256 ? uploadFile(id, sha256) : [])))
  for (const name of names.filter((name) => !kept.has(name))) {
    const file = join(folder, name)
    // An upload that is being written has no row yet.
    const isRecent = (await stat(file)).mtimeMs > Date.now() - DAY_MS
    if (!isRecent) await rm(file, { force: true })
  }
}
