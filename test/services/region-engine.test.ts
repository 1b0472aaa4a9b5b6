import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { createRegion, updateRegion } from '../../src/services/plan/region-commands.ts'
import { connectionUrls } from '../../src/storage/references/connection-urls.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const ENGINE = 'unix:///run/north.sock'

async function region(code: string): Promise<string> {
  const fields = { name: code, functionsSupported: true, domain: `${code}.example.com`, engine: ENGINE }
  await world.perform(createRegion, { region: code, ...fields })
  return code
}

const toAnotherEngine = (code: string) =>
  world.perform(updateRegion, { region: code, engine: 'unix:///run/other.sock' })

const STILL_THERE = { code: 'CONFLICT', reason: 'REGION_IN_USE', message: expect.stringContaining('deleted') }

test('an engine stays while a deletion waits, and while containers of a deleted environment are left', async () => {
  const code = await region('north')
  const { appEnvId } = await world.appEnv({ region: code })
  const contentId = await world.deploy(appEnvId)
  const place = { name: 'left', appEnvId, contentId, rolloutId: 'ro_1', index: 0, state: 'READY' } as const
  await world.database.replica.create({ data: place })
  const { operationId } = await world.perform(deleteAppEnv, { appEnvId })
  expect(await world.database.operation.findUniqueOrThrow({ where: { id: operationId } })).toMatchObject({
    status: 'QUEUED',
  })
  await world.database.replica.deleteMany({ where: { appEnvId } })
  await expect(toAnotherEngine(code)).rejects.toMatchObject(STILL_THERE)

  await world.endOperation(operationId, 'FAILED')
  await world.database.replica.create({ data: place })
  await expect(toAnotherEngine(code)).rejects.toMatchObject(STILL_THERE)

  await world.database.replica.deleteMany({ where: { appEnvId } })
  await toAnotherEngine(code)
})

test('an engine stays while the container of a job run of a deleted environment is left', async () => {
  const code = await region('east')
  const { appEnvId, accountId } = await world.appEnv({ region: code })
  const contentId = await world.deploy(appEnvId)
  await world.endOperation((await world.perform(deleteAppEnv, { appEnvId })).operationId)
  await world.database.replica.deleteMany({ where: { appEnvId } })
  const run = {
    id: 'run_1',
    accountId,
    appEnvId,
    contentId,
    contentVersion: 1,
    trigger: 'MANUAL',
    snapshot: {},
  } as const
  await world.database.jobRun.create({ data: { ...run, maxConcurrency: 1, status: 'CANCELLED', requestId: 'req_1' } })
  await world.database.jobAttempt.create({ data: { runId: run.id, number: 1, containerName: 'run-1' } })
  await expect(toAnotherEngine(code)).rejects.toMatchObject(STILL_THERE)

  await world.database.jobAttempt.updateMany({ data: { containerRemovedAt: new Date() } })
  await toAnotherEngine(code)
})

test('a reference means the environment that exists, whatever engine a deleted one of its name was on', async () => {
  const code = await region('west')
  const accountId = await world.account()
  const appId = await world.app({ accountId, name: 'db', port: 5432 })
  const former = await world.appEnv({ accountId, appId, region: code })
  const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: former.appEnvId } })
  const urlFrom = async (regionCode: string) => {
    const value = `\${${cliEnvName}.internalUrl}`
    const find = await connectionUrls({ ...world, tx: world.database }, { accountId, regionCode }, [value], {
      includesDeleted: true,
    })
    return find({ envName: cliEnvName, url: 'internalUrl' })
  }
  const url = await urlFrom(code)
  expect(url).toContain(cliEnvName)
  expect(await urlFrom('local')).toBeNull()

  const { operationId } = await world.perform(deleteAppEnv, { appEnvId: former.appEnvId })
  await world.endOperation(operationId)
  expect(await urlFrom(code)).toBe(url)
  await world.appEnv({ accountId, appId })
  expect(await urlFrom('local')).toBe(url)
  expect(await urlFrom(code)).toBeNull()
})
