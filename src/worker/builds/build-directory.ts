import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { OPEN_STATUSES } from '../../domain/operation.ts'
import type { Database } from '../../storage/database/client.ts'

const buildsFolder = ({ BERTH_DATA_DIR }: Config): string => resolve(BERTH_DATA_DIR, 'builds')

/** Creates an empty directory for one attempt at one build; disposing removes it. */
export async function openBuildDirectory(config: Config, operationId: string, token: number) {
  const directory = join(buildsFolder(config), `${operationId}.${token}`)
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return {
    directory,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 3 }),
  }
}

/** Removes the directories of attempts whose process was killed: no lease protects them any more. */
export async function clearBuildDirectories(config: Config, database: Database): Promise<void> {
  const folder = buildsFolder(config)
  const names = await readdir(folder).catch(() => [])
  if (names.length === 0) return
  const ids = names.map((name) => name.split('.')[0] ?? '')
  const open = await database.operation.findMany({
    where: { id: { in: ids }, status: { in: [...OPEN_STATUSES] } },
    select: { id: true, appEnv: { select: { leaseToken: true } } },
  })
  const used = new Set(open.map(({ id, appEnv }) => `${id}.${appEnv.leaseToken}`))
  for (const name of names.filter((name) => !used.has(name))) {
    await rm(join(folder, name), { recursive: true, force: true })
  }
}
