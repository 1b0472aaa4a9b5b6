import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../src/services/app/create-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let appId: string

beforeAll(async () => {
  world = await createWorld()
  const { accountId } = world
  ;({ appId } = await world.perform(createApp, { name: 'Sized', accountId, port: 80 }))
})
afterAll(() => world.close())

let names = 0
async function sized(fields: Record<string, unknown>) {
  names += 1
  const input = { accountId: world.accountId, appId, name: `env ${names}`, region: 'local', ...fields }
  const { appEnvId } = await world.perform(createAppEnv, input)
  return world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
}

describe('a new environment has', () => {
  test('one zCloud', async () => {
    expect(await sized({})).toMatchObject({ zClouds: 1, cpu: null, memoryMb: null })
  })

  test('the zClouds that are sent', async () => {
    expect(await sized({ zClouds: 2 })).toMatchObject({ zClouds: 2, cpu: null, memoryMb: null })
  })

  test('the CPU and memory that are sent, and counts as the larger of both', async () => {
    expect(await sized({ cpu: 0.5, memory: 1024 })).toMatchObject({ zClouds: 2, cpu: 0.5, memoryMb: 1024 })
  })
})

test.each([
  [{ cpu: 1 }, 'memory'],
  [{ memory: 512 }, 'cpu'],
  [{ cpu: 1, memory: 512, zClouds: 1 }, 'zClouds'],
  [{ startupConfig: {} }, 'startupConfig.command'],
])('%j is refused at %s', async (fields, field) => {
  await expect(sized(fields)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    details: { fields: [expect.objectContaining({ field })] },
  })
})
