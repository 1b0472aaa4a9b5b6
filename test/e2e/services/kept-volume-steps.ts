import { versionName } from '../../../src/app-types/engines/engines.ts'
import { ENGINES } from '../../../src/app-types/engines/list.ts'
import type { Credentials, ServiceStory } from './service-story.ts'
import type { Surroundings } from './step.ts'
import { until } from './until.ts'

const before = new WeakMap<ServiceStory, Credentials>()

/** The app's containers are gone; its volume, and what opens it, are not. */
export async function deleteAndKeep(story: ServiceStory): Promise<void> {
  const { cluster, main, volumeId } = story
  before.set(story, await story.credentials())
  await story.interrupted('container.removed', '', async () => {
    const { body } = await cluster.call('DELETE', `/app?appId=${main.appId}`)
    const { rows } = await cluster.pool.query<{ id: string }>(
      `SELECT id FROM operation WHERE app_env_id = $1 AND kind = 'DELETE'`,
      [main.appEnvId],
    )
    if (!rows[0]) throw new Error(`Deleting began nothing: ${JSON.stringify(body)}`)
    return rows[0].id
  })
  await until(
    'the containers are gone',
    () => story.containers(),
    ({ length }) => length === 0,
  )
  const volume = (await story.volumes()).find((one) => one.volumeId === volumeId)
  if (!volume || volume.isAttached) throw new Error(`The volume is not kept: ${JSON.stringify(volume)}`)
}

/** Another version, another engine, another account. */
export async function expectForeignRefused(story: ServiceStory, { strangerId }: Surroundings): Promise<void> {
  const { cluster, engine, volumeId } = story
  const appId = await story.createApp()
  const holds = new RegExp(`volumeId.*holds data of ${engine.name}_${engine.defaultVersion}`)
  for (const version of engine.versions.filter((one) => one.version !== engine.defaultVersion)) {
    const fields = { volumeId, dockerPresetVersion: versionName(engine, version) }
    await story.expectRefusal(story.requestService(appId, fields), 400, holds)
  }
  const other = ENGINES.find((one) => one !== engine)
  const otherApp = await story.createApp({ dockerPreset: other?.name })
  await story.expectRefusal(story.requestService(otherApp, { volumeId }), 400, holds)
  const app = { name: `Thief of ${engine.name}`, accountId: strangerId, dockerPreset: engine.name }
  const { appId: theirs } = await cluster.ok('POST', '/app', app)
  const theft = story.requestService(String(theirs), { accountId: strangerId, volumeId })
  await story.expectRefusal(theft, 404, /volume/)
  for (const one of [appId, otherApp, String(theirs)]) await story.deleteApp({ appId: one })
}

/** Every row, and the credentials that they were written with. */
export async function attachKept(story: ServiceStory): Promise<void> {
  const { volumeId } = story
  const old = before.get(story)
  story.main = await story.createService({ volumeId })
  await story.expectRows()
  const { username, password } = await story.credentials()
  if (username !== old?.username || password !== old.password)
    throw new Error('The credentials are not those of before')
  const appId = await story.createApp()
  await story.expectRefusal(story.requestService(appId, { volumeId }), 409, /VOLUME_IN_USE/)
  await story.deleteApp({ appId })
}
