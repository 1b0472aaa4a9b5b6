import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AnyCommand } from '../../src/calls/command.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { getAppEnvStatus } from '../../src/services/app-env/app-env-reads.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { deleteAppEnv } from '../../src/services/app-env/delete-app-env.ts'
import { redeployAppEnv } from '../../src/services/lifecycle/redeploy.ts'
import { rollbackAppEnv } from '../../src/services/lifecycle/rollback.ts'
import { startAppEnv } from '../../src/services/lifecycle/start.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import type { Program } from '../support/memory-engine/program.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

// What validation has let through once, or an older Berth has stored, is worked on for good.

const server: Program = (process) => process.serve((_request, response) => response.end('served'))
const commands: Program = () => 0

/** How a record is wrong, and what Berth says where it has to make a container of it; null: it still knows how. */
const RECORDS = [
  ['whose app names another service', { appPreset: 'POSTGRESQL', presetVersion: 'REDIS_8' }, null],
  ['whose app names an unknown preset', { appPreset: 'NO_SUCH_DB', presetVersion: 'REDIS_8' }, null],
  [
    'of a removed version',
    { appPreset: 'REDIS', presetVersion: 'REDIS_2' },
    /Redis has no version REDIS_2 any more.*REDIS_8/,
  ],
  [
    'of a removed preset',
    { appPreset: 'GONE_DB', presetVersion: 'GONE_DB_1' },
    /no managed service GONE_DB_1.*database-presets/,
  ],
] as const

let harbour: Harbour
let appEnvId: string

beforeAll(async () => {
  harbour = await createHarbour({}, await inMemory({ 'redis-server': server, bash: commands }, ['redis:8']))
  harbour.startWorker()
})

afterAll(() => harbour?.close())

async function runningRedis(): Promise<string> {
  const { accountId } = harbour
  const { appId } = await harbour.perform(createApp, { name: 'Cache', accountId, dockerPreset: 'REDIS' })
  const created = await harbour.perform(createAppEnv, { accountId, appId, name: 'production', region: 'local' })
  expect(await harbour.ended(created.operationId ?? '')).toMatchObject({ status: 'SUCCEEDED', message: null })
  return created.appEnvId
}

/** Writes the record as an earlier Berth might have. */
async function spoil(record: { appPreset: string; presetVersion: string }): Promise<void> {
  const { database } = harbour
  const { appId, currentContentId, volumeId } = await harbour.appEnvRow(appEnvId)
  const { appPreset: dockerPreset, presetVersion } = record
  await database.app.update({ where: { id: appId }, data: { dockerPreset } })
  await database.appEnv.update({ where: { id: appEnvId }, data: { presetVersion } })
  await database.volume.update({ where: { id: volumeId ?? '' }, data: { presetVersion } })
  await database.$executeRaw`
    UPDATE content SET configuration = configuration || jsonb_build_object('presetVersion', ${presetVersion}::text)
    WHERE id = ${currentContentId}`
}

const outcomeOf = async (command: AnyCommand, fields: Record<string, unknown> = {}) => {
  const { status, message } = await harbour.ended(await harbour.ask(command, appEnvId, fields))
  return { status, message }
}

describe.each(RECORDS)('a running managed service %s', (_how, record, said) => {
  /** Success where Berth still knows the service; otherwise a failure with the reason. */
  const made = () => (said ? { status: 'FAILED', message: expect.stringMatching(said) } : { status: 'SUCCEEDED' })

  beforeEach(async () => {
    appEnvId = await runningRedis()
    await spoil(record)
  })

  test('goes on running', async () => {
    const [container] = await harbour.containersOf(appEnvId)
    const before = (await harbour.appEnvRow(appEnvId)).observedAt?.getTime() ?? 0
    const seen = await eventually(
      () => harbour.appEnvRow(appEnvId),
      ({ observedAt }) => (observedAt?.getTime() ?? 0) > before + 1_000,
    )
    expect(seen).toMatchObject({ status: 'RUNNING', health: 'HEALTHY' })
    expect((await harbour.containersOf(appEnvId)).map(({ Id }) => Id)).toEqual([container?.Id])
  })

  test('is stopped and deleted', async () => {
    expect(await outcomeOf(stopAppEnv)).toMatchObject({ status: 'SUCCEEDED' })
    expect(await outcomeOf(deleteAppEnv)).toMatchObject({ status: 'SUCCEEDED' })
    expect(await harbour.containersOf(appEnvId)).toEqual([])
  })

  test('is deleted while it runs', async () => {
    expect(await outcomeOf(deleteAppEnv)).toMatchObject({ status: 'SUCCEEDED' })
    expect(await harbour.containersOf(appEnvId)).toEqual([])
  })

  test('is started after a stop, or says why it cannot be', async () => {
    await outcomeOf(stopAppEnv)
    expect(await outcomeOf(startAppEnv)).toMatchObject(made())
  })

  test('is redeployed, or says why it cannot be and goes on', async () => {
    expect(await outcomeOf(redeployAppEnv)).toMatchObject(made())
    expect((await harbour.appEnvRow(appEnvId)).status).toBe('RUNNING')
    expect(await harbour.containersOf(appEnvId)).toHaveLength(1)
  })

  test('is repaired, or says why it cannot be', async () => {
    const [container] = await harbour.containersOf(appEnvId)
    await harbour.byHand.remove(container?.Id ?? '')
    const repaired = await eventually(
      () => harbour.appEnvRow(appEnvId),
      ({ health, observedReason, replicas }) =>
        said ? said.test(observedReason ?? '') : health === 'HEALTHY' && replicas[0]?.containerId !== container?.Id,
    )
    expect(repaired.status).toBe('RUNNING')
  })

  test('is shown', async () => {
    const caller = await harbour.services.authenticate(harbour.adminToken)
    const status = await harbour.services.respond(getAppEnvStatus, { caller, requestId: 'req_1' }, { appEnvId })
    expect(status).toMatchObject({ status: 'RUNNING' })
  })
})

test('a rollback is no way around it', async () => {
  appEnvId = await runningRedis()
  const { currentContentId } = await harbour.appEnvRow(appEnvId)
  expect(await outcomeOf(redeployAppEnv)).toMatchObject({ status: 'SUCCEEDED' })
  await harbour.database.$executeRaw`
    UPDATE content SET configuration = configuration || '{"presetVersion": "REDIS_2"}' WHERE id = ${currentContentId}`
  const outcome = await outcomeOf(rollbackAppEnv, { targetContentId: currentContentId }).catch((error) => error)
  expect(outcome.message).toMatch(/REDIS_2/)
  expect((await harbour.appEnvRow(appEnvId)).status).toBe('RUNNING')
})
