import type { ServiceStory } from './service-story.ts'
import { until } from './until.ts'

interface BackupRow {
  key: string
  status: string
  verified: boolean
  verifyMessage: string | null
}

async function backupOf({ cluster, main, backupKey }: ServiceStory): Promise<BackupRow | null> {
  const { backups } = await cluster.ok('GET', `/app-env/backups?appEnvId=${main.appEnvId}`)
  return (backups as BackupRow[]).find(({ key }) => key === backupKey) ?? null
}

/** Its worker is killed once the name of the file is recorded, and before there is anything in it. */
export async function backUp(story: ServiceStory): Promise<void> {
  const { cluster, main } = story
  const begin = async () => {
    const { operationId, body, text, status } = await cluster.call('POST', '/app-env/backup', {
      appEnvId: main.appEnvId,
    })
    if (status >= 300) throw new Error(`POST /app-env/backup answered ${status}: ${text}`)
    story.backupKey = String(body.backupKey)
    return operationId
  }
  await story.interrupted('fenced.committed', main.appEnvId, begin, { pass: 2 })
  const backup = await backupOf(story)
  if (backup?.status !== 'AVAILABLE') throw new Error(`The backup is ${JSON.stringify(backup)}`)
  await story.awaitHealthy()
  await story.expectRows()
}

/** In a throw-away container, whose worker is killed when it is there. */
export async function verify(story: ServiceStory): Promise<void> {
  const { cluster, main, backupKey } = story
  const { appEnvId } = main
  await story.interrupted('container.created', appEnvId, () =>
    cluster.begin('POST', '/app-env/backup-verify', { appEnvId, backupKey }),
  )
  const backup = await backupOf(story)
  if (!backup?.verified) throw new Error(`The backup is not verified: ${backup?.verifyMessage}`)
  await story.expectRows()
}

/** The service is deleted with its volume; a new one, with credentials of its own, gets every row from the backup. */
export async function restoreIntoNew(story: ServiceStory): Promise<void> {
  const { cluster, backupKey } = story
  await story.deleteApp(story.main)
  for (const { volumeId, isAttached } of await story.volumes())
    if (!isAttached) await cluster.ok('DELETE', `/volume?volumeId=${volumeId}`)
  story.main = await story.createService()
  const { appEnvId } = story.main
  await story.interrupted('container.created', appEnvId, () =>
    cluster.begin('POST', '/app-env/backup-restore', { appEnvId, backupKey, backupFirst: false }),
  )
  await story.awaitHealthy()
  await story.expectRows()
}

/** All that the account has, with their files. */
export async function deleteBackups({ cluster, accountId }: ServiceStory): Promise<void> {
  const left = async () => {
    const { rows } = await cluster.pool.query<{ id: string; status: string }>(
      'SELECT id, status FROM backup WHERE account_id = $1',
      [accountId],
    )
    return rows
  }
  for (const { id, status } of await left())
    if (status === 'AVAILABLE') await cluster.ok('DELETE', `/app-env/backup?backupKey=${id}`)
  await until('the backups are gone', left, ({ length }) => length === 0)
}
