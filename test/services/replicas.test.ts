import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../../src/services/app/create-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { connectionUrlsOf, withAddress } from '../../src/storage/references/connection-urls.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

async function service(dockerPreset: string, containers: number) {
  const { accountId } = world
  const name = `${dockerPreset} ${containers}`
  const { appId } = await world.perform(createApp, { name, accountId, dockerPreset })
  const { appEnvId } = await world.perform(createAppEnv, {
    accountId,
    appId,
    name: 'production',
    region: 'local',
    containers,
  })
  const where = { id: String(appEnvId) }
  const appEnv = await world.database.appEnv.findUniqueOrThrow({ where, select: withAddress })
  return { urls: connectionUrlsOf(world, appEnv), cliEnvName: appEnv.cliEnvName }
}

test.each(['POSTGRESQL', 'REDIS'])(
  '%s has as many replicas as its limit says, by an address of their own',
  async (preset) => {
    for (const containers of [0, 6]) await expect(service(preset, containers)).rejects.toThrow('containers')
    expect((await service(preset, 1)).urls.readOnlyUrl).toBeNull()
    const { urls, cliEnvName } = await service(preset, 5)
    expect(urls.readOnlyUrl).toContain(`@replicas.${cliEnvName}:`)
    expect(urls.internalUrl).toContain(`@${cliEnvName}:`)
  },
)

test.each(['COUCHDB', 'MONGODB', 'RABBITMQ', 'MYSQL', 'CLICKHOUSE'])('%s runs in one container', async (preset) => {
  await expect(service(preset, 2)).rejects.toThrow('containers: must be 1')
})
