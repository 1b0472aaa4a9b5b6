import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BerthProcess } from '../crash/harness/process.ts'
import { eventually } from '../worker/fixtures.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { createService, inService, type Service } from './service-world.ts'
import { startWorker } from './worker-process.ts'

const TIMEOUT_MS = 300_000
const MB = 1024 * 1024
const DATA_MB = 24

let berth: TestPlatform
let worker: BerthProcess
let service: Service | null = null

beforeAll(async () => {
  berth = await startTestPlatform({ BERTH_ROLES: 'api', BERTH_READY_TIMEOUT_SECONDS: '60' })
  worker = await startWorker(berth)
  service = await createService(berth, 'POSTGRESQL')
}, TIMEOUT_MS)

afterAll(async () => {
  await worker?.stop()
  await berth?.stop()
})

const folder = () => join(berth.dataDir, 'backups')
const files = () => readdir(folder()).catch(() => [])
const list = async () =>
  (
    await berth.ok<{ backups: { key: string; status: string }[] }>(
      'GET',
      `/app-env/backups?appEnvId=${service?.appEnvId}`,
    )
  ).backups

/** Returns the key of the backup. */
async function killedHalfWay(): Promise<string> {
  const about = { appEnvId: service?.appEnvId }
  const { backupKey } = await berth.ok<{ backupKey: string }>('POST', '/app-env/backup', about)
  for (;;) {
    const [name] = (await files()).filter((name) => name.startsWith(backupKey))
    const { size } = name ? await stat(join(folder(), name)).catch(() => ({ size: 0 })) : { size: 0 }
    if (size > (DATA_MB / 2) * MB) break
    await sleep(2)
  }
  worker.signal('SIGKILL')
  return backupKey
}

test('a worker that is killed half way leaves no half backup', { timeout: TIMEOUT_MS }, async () => {
  await inService(
    berth,
    service?.appEnvId ?? '',
    ['psql', '-q', '--username=berth', '--dbname=berth'],
    `CREATE TABLE noise AS SELECT string_agg(sha512(random()::text::bytea), '') AS bytes
      FROM generate_series(1, ${(DATA_MB * MB) / 64}) n GROUP BY n % ${DATA_MB};`,
  )
  const key = await killedHalfWay()
  // Its successor starts over, with a file and a key of its own.
  const during = await list()
  expect(during.filter(({ status }) => status === 'AVAILABLE')).toEqual([])
  const after = await eventually(list, ([one]) => one?.status === 'AVAILABLE')
  expect(after).toMatchObject([{ key, status: 'AVAILABLE' }])
  await eventually(files, (names) => names.length === 1 && !names.some((name) => name.endsWith('.part')))

  const second = await killedHalfWay()
  const row = await berth.database.backup.findUniqueOrThrow({ where: { id: second } })
  await berth.ok('POST', '/operation/cancel', { operationId: row.operationId })
  await eventually(list, (backups) => backups.find((one) => one.key === second)?.status === 'FAILED')
  await eventually(files, (names) => names.length === 1 && !names.some((name) => name.startsWith(second)))
  await eventually(
    () => berth.database.appEnv.findUniqueOrThrow({ where: { id: service?.appEnvId ?? '' } }),
    ({ status, health }) => status === 'RUNNING' && health === 'HEALTHY',
  )
})
