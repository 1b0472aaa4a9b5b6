import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { freePort } from '../support/free-ports.ts'
import { type BerthProcess, spawnBerth, startBerth } from './berth-process.ts'

const NEWER = '29991231000000_from_the_future'

let database: TestDatabase
let dataDir: string
let settings: Record<string, string>
const running: BerthProcess[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'berth-schema-'))
  settings = {
    PORT: '0',
    INGRESS_PORT: '0',
    BERTH_LOG_LEVEL: 'silent',
    DOCKER_HOST: 'unix:///nonexistent',
    BERTH_DATA_DIR: dataDir,
    DATABASE_URL: database.url,
  }
})

afterAll(async () => {
  await Promise.all(running.map((berth) => berth.end('SIGKILL')))
  await database.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

const migrateFurther = () => database.database.$executeRaw`
  INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', ${NEWER}, now())`

async function start(role: string): Promise<() => Promise<{ status: number; body: ReadyBody }>> {
  const port = await freePort()
  const berth = await startBerth({ ...settings, BERTH_ROLES: role, BERTH_HEALTH_PORT: `${port}` })
  running.push(berth)
  return async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`)
    return { status: response.status, body: (await response.json()) as ReadyBody }
  }
}

interface ReadyBody {
  parts: Record<string, { ready: boolean; reason: string | null }>
}

test('processes that run while a newer Berth migrates the database say so, and no older one starts', async () => {
  const [api, worker, ingress] = [await start('api'), await start('worker'), await start('ingress')]
  for (const ready of [api, worker, ingress]) expect(await ready()).toMatchObject({ status: 200 })
  await migrateFurther()
  const reason = expect.stringContaining(`has the migration ${NEWER}, which this version of Berth`)
  for (const ready of [api, worker])
    await expect.poll(ready).toMatchObject({ status: 503, body: { parts: { database: { ready: false, reason } } } })
  // It routes from what it can read, and so stays in service.
  await expect.poll(ingress).toMatchObject({ status: 200, body: { parts: { schema: { ready: false, reason } } } })

  for (const role of ['api', 'worker', 'api,worker,ingress']) {
    const older = spawnBerth({ ...settings, BERTH_ROLES: role })
    running.push(older)
    expect(await older.ended).toBe(1)
    expect(older.said()).toContain(`has the migration ${NEWER}`)
  }
})
