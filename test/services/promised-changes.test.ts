import { afterAll, beforeAll, expect, test } from 'vitest'
import { getAppEnvHistory } from '../../src/services/app-env/app-env-reads.ts'
import { changeScaling } from '../../src/services/app-env/setting-commands.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { autoscaleAppEnv } from '../../src/services/lifecycle/autoscale-app-env.ts'
import { rollbackAppEnv } from '../../src/services/lifecycle/rollback.ts'
import { deleteVolume } from '../../src/services/volume/delete-volume.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world?.close())

test('a version whose volume is gone says that it cannot be brought back, and why', async () => {
  const { appEnvId } = await world.appEnv({ volume: { path: '/data', disk: 1024 } })
  const withVolume = await world.deploy(appEnvId)
  const { volumeId } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  await world.perform(updateAppEnv, { appEnvId, volume: null })
  await world.deploy(appEnvId, 'nginx:2')
  const promise = async () => {
    const caller = await world.services.authenticate(world.adminToken)
    const { activities } = await world.services.respond(
      getAppEnvHistory,
      { caller, requestId: 'req_1' },
      { appEnvId, limit: 10, offset: 0 },
    )
    const { canRollback, cannotRollbackReason } = activities.find((one) => one.contentId === withVolume) ?? {}
    return { canRollback, cannotRollbackReason }
  }
  expect(await promise()).toEqual({ canRollback: true, cannotRollbackReason: null })
  await world.perform(deleteVolume, { volumeId })
  const message = 'The volume that the version kept its data in has been deleted'
  expect(await promise()).toEqual({ canRollback: false, cannotRollbackReason: message })
  await expect(world.perform(rollbackAppEnv, { appEnvId, targetContentId: withVolume })).rejects.toMatchObject({
    code: 'CONFLICT',
    reason: 'VOLUME_DELETED',
    message,
  })
})

test('autoscaling leaves a number alone that was set and not applied yet', async () => {
  const { appEnvId } = await world.appEnv()
  await world.deploy(appEnvId)
  await world.database.appEnv.update({ where: { id: appEnvId }, data: { replicasDesired: 1 } })
  await world.perform(changeScaling, { appEnvId, containers: 4 })
  const change = { appEnvId, from: 1, to: 2, why: 'CPU 90 % of 70 %' }
  expect(await autoscaleAppEnv(world, change)).toBe(false)
  const { containers } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  expect(containers).toBe(4)
  await world.perform(changeScaling, { appEnvId, containers: 1 })
  expect(await autoscaleAppEnv(world, change)).toBe(true)
})
