import { afterAll, beforeAll, expect, test } from 'vitest'
import { withMemberships } from '../../../src/calls/authenticate.ts'
import { findByKey } from '../../../src/calls/read.ts'
import { createApp } from '../../../src/services/app/create-app.ts'
import { createAppEnv } from '../../../src/services/app-env/create-app-env.ts'
import { createJobRun } from '../../../src/services/job-run/create-job-run.ts'
import { deployImage } from '../../../src/services/lifecycle/deploy-image.ts'
import { loadEverything, withEverything } from '../../../src/services/targets/load-app-env.ts'
import type { Database } from '../../../src/storage/database/client.ts'
import { hashOfSecret } from '../../../src/storage/secrets/token-secret.ts'
import { loadClaimedAppEnv, withState } from '../../../src/worker/context/environment-context.ts'
import { loadRun, withEnvironment } from '../../../src/worker/runs/run-context.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
/** Environments of different apps that have, together, something of everything. */
let appEnvIds: string[]
let jobRunId: string
/** What was sent to PostgreSQL since this was last emptied. */
const statements: string[] = []

beforeAll(async () => {
  world = await createWorld({ onQuery: (sql) => statements.push(sql) })
  const { appEnvId } = await world.appEnv({
    envVars: [
      { name: 'PLAIN', value: 'ü "quoted" \\ {}', isSecret: false },
      { name: 'SECRET', value: 'hidden', isSecret: true },
    ],
    startupConfig: { command: 'node', args: ['-e', '1.50'] },
  })
  await world.deploy(appEnvId)
  await world.perform(deployImage, { appEnvId, image: 'nginx:2' })
  const service = await other({ dockerPreset: 'POSTGRESQL' })
  const called = await other({ dockerPreset: 'FUNCTION', useImage: true, image: 'nginx:1', port: 8080 })
  const job = await other({ dockerPreset: 'JOB', useImage: true, image: 'nginx:1', jobConfig: { maxConcurrency: 2 } })
  await world.deploy(job)
  const input = { appEnvId: job, command: 'echo', args: ['x'], shell: false }
  jobRunId = ((await world.perform(createJobRun, input)) as { jobRunId: string }).jobRunId
  await world.database.jobAttempt.create({ data: { runId: jobRunId, number: 1, containerName: 'one' } })
  appEnvIds = [appEnvId, service, called, job]
})
afterAll(() => world?.close())

async function other(fields: object): Promise<string> {
  const { accountId } = world
  const { appId } = (await world.perform(createApp, { name: `App ${Math.random()}`, accountId, ...fields })) as {
    appId: string
  }
  const created = await world.perform(createAppEnv, { accountId, appId, name: 'production', region: 'local' })
  return (created as { appEnvId: string }).appEnvId
}

interface Loaded {
  load(client: Database): Promise<unknown>
  byPrisma(): Promise<unknown>
}

/** By the reader and inside a transaction: one statement each, with the answer of Prisma. */
async function expectSame({ load, byPrisma }: Loaded): Promise<void> {
  const expected = await byPrisma()
  statements.length = 0
  expect(await load(world.database)).toEqual(expected)
  expect(statements).toHaveLength(1)
  await world.database.$transaction(async (tx) => {
    statements.length = 0
    expect(await load(tx as Database)).toEqual(expected)
    expect(statements).toHaveLength(1)
  })
}

test('an environment with all that decisions depend on', async () => {
  for (const id of appEnvIds) {
    const byPrisma = () => world.database.appEnv.findUniqueOrThrow({ where: { id }, include: withEverything })
    await expectSame({ load: (client) => loadEverything(client, id), byPrisma })
  }
})

test('an environment as a worker loads it', async () => {
  for (const id of appEnvIds) {
    const byPrisma = () => world.database.appEnv.findUniqueOrThrow({ where: { id }, include: withState })
    await expectSame({ load: (client) => loadClaimedAppEnv(client, id), byPrisma })
  }
})

test('a job run, its attempts and its environment', async () => {
  const query = { where: { id: jobRunId }, include: withEnvironment }
  const { appEnv, content, attempts, ...run } = await world.database.jobRun.findUniqueOrThrow(query)
  const { snapshot } = run
  const expected = { run, snapshot, content, appEnv, attempts, attempt: attempts[0] }
  await expectSame({ load: (client) => loadRun(client, jobRunId), byPrisma: async () => expected })
})

test('a token, its user and their memberships', async () => {
  const where = { hash: hashOfSecret(world.adminToken) }
  const query = { where, include: withMemberships }
  const byPrisma = () => world.database.token.findUniqueOrThrow(query)
  expect(await findByKey(world.database, 'Token', query)).toEqual(await byPrisma())
})

test('what does not exist is refused as Prisma refuses it', async () => {
  await expect(loadClaimedAppEnv(world.database, 'env_none')).rejects.toThrow(/required but not found|No record/)
})

test('what a transaction has written is seen by it', async () => {
  const id = appEnvIds[0] ?? ''
  await world.database.$transaction(async (tx) => {
    await tx.appEnv.update({ where: { id }, data: { name: 'renamed' } })
    expect((await loadEverything(tx, id)).name).toBe('renamed')
  })
})
