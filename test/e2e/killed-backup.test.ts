import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BerthProcess } from '../crash/harness/process.ts'
import { eventually } from '../worker/fixtures.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { createService, inService, type Service } from './service-world.ts'

const TIMEOUT_MS = 300_000
const MB = 1024 * 1024
const DATA_MB = 48
/** Runs beside other tests. */
const PORT = 41_000 + (process.pid % 4_000)

let berth: TestPlatform
let worker: BerthProcess
let service: Service | null = null

beforeAll(async () => {
  berth = await startTestPlatform({ BERTH_ROLES: 'api', BERTH_READY_TIMEOUT_SECONDS: '60' })
  worker = new BerthProcess({
    name: 'worker',
    port: PORT,
    logFile: join(berth.dataDir, 'worker.log'),
    environment: {
      ...{
        BERTH_ROLES: 'worker',
        DATABASE_URL: berth.databaseUrl,
        BERTH_DATA_DIR: berth.dataDir,
        BERTH_HEALTH_PORT: String(PORT),
      },
      ...{
        BERTH_HOST_FIREWALL: 'off',
        BERTH_RECONCILE_SECONDS: '1',
        BERTH_LEASE_SECONDS: '5',
        BERTH_LOG_LEVEL: 'warn',
      },
    },
  })
  worker.start()
  await worker.ready()
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

const running = (appEnvId: string) =>
  eventually(
    () => berth.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } }),
    ({ status, health }) => status === 'RUNNING' && health === 'HEALTHY',
    300,
  )

/** Begins an operation, kills the worker in this step of it, and waits for the end that its successor brings about. */
async function killedIn(path: string, body: object, step: string): Promise<string> {
  await berth.ok('POST', `/app-env/${path}`, body)
  const appEnvId = service?.appEnvId ?? ''
  // Ids sort by the time at which they were made.
  const operation = () => berth.database.operation.findFirstOrThrow({ where: { appEnvId }, orderBy: { id: 'desc' } })
  await eventually(
    operation,
    ({ steps }) => stepsOf(steps).some(({ name, status }) => name === step && status === 'RUNNING'),
    300,
  )
  worker.signal('SIGKILL')
  const ended = await eventually(operation, ({ status }) => ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(status), 300)
  return `${ended.status} ${ended.attempt > 1}`
}

const stepsOf = (steps: unknown) => steps as { name: string; status: string }[]

/** Containers and volumes of the engine, beside those that serve. */
const leftOver = async (appEnvId: string) => {
  const filters = { label: [`berth.env=${appEnvId}`] }
  const containers = await berth.docker.listContainers({ all: true, filters })
  const volumes = await berth.database.volume.findMany({ where: { deletedAt: null } })
  const { Volumes } = await berth.docker.listVolumes()
  const known = Volumes.filter(({ Name, Labels }) =>
    JSON.stringify([Name, Labels]).includes(berth.platform.installationId ?? '-'),
  )
  return [containers.length, volumes.length, known.length]
}

test('a worker that is killed while it restores or verifies leaves a true state, and nothing else', {
  timeout: 2 * TIMEOUT_MS,
}, async () => {
  const appEnvId = service?.appEnvId ?? ''
  const rows = () =>
    inService(berth, appEnvId, [
      'psql',
      '-qAt',
      '--username=berth',
      '--dbname=berth',
      '-c',
      "SELECT count(*), md5(string_agg(md5(bytes), '' ORDER BY md5(bytes))) FROM noise",
    ])
  const [backup] = (await list()).filter(({ status }) => status === 'AVAILABLE')
  const before = await rows()
  for (const step of ['restore', 'verify']) {
    expect(await killedIn('backup-verify', { appEnvId, backupKey: backup?.key }, step)).toBe('SUCCEEDED true')
    await running(appEnvId)
    expect(await list()).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ key: backup?.key, verified: true })]),
    )
    await eventually(
      () => leftOver(appEnvId),
      (left) => left.join() === '1,1,1',
      300,
    )
  }
  await inService(berth, appEnvId, ['psql', '-q', '--username=berth', '--dbname=berth', '-c', 'DELETE FROM noise'])
  const restore = { appEnvId, backupKey: backup?.key, backupFirst: true }
  for (const step of ['save', 'restore']) {
    expect(await killedIn('backup-restore', restore, step)).toBe('SUCCEEDED true')
    await running(appEnvId)
    expect(await rows()).toBe(before)
    await eventually(
      () => leftOver(appEnvId),
      (left) => left.join() === '1,1,1',
      300,
    )
  }
  const available = (await list()).filter(({ status }) => status === 'AVAILABLE')
  await eventually(files, (names) => names.length === available.length && !names.some((name) => name.endsWith('.part')))
})
