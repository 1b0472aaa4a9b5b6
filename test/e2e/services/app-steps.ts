import { createEnvironment, finish, type Subject } from '../../crash/harness/subject.ts'
import type { ServiceStory } from './service-story.ts'
import { until } from './until.ts'

const readers = new WeakMap<ServiceStory, Subject>()

function readerOf(story: ServiceStory): Subject {
  const reader = readers.get(story)
  if (!reader) throw new Error('No app refers to the service')
  return reader
}

/** What an app of the account has in its variable. */
async function urlInApp({ cluster }: ServiceStory, { appEnvId }: Subject): Promise<string> {
  const filters = { label: [`berth.env=${appEnvId}`], status: ['running'] }
  const [container] = await cluster.docker.listContainers({ filters })
  const { Config } = await cluster.docker.getContainer(container?.Id ?? '').inspect()
  return Config.Env.find((one) => one.startsWith('SERVICE_URL='))?.slice('SERVICE_URL='.length) ?? ''
}

/** An app that gets the URL by a reference connects with it. */
export async function referByApp(story: ServiceStory): Promise<void> {
  const { cluster, accountId, main } = story
  const app = { name: `Reader of ${story.engine.name}`, accountId, port: 3000, useImage: true, image: cluster.image }
  const { appId } = (await cluster.ok('POST', '/app', app)) as { appId: string }
  const reader = await createEnvironment(cluster, { accountId, appId }, 'production')
  readers.set(story, reader)
  const value = `\${${main.cliEnvName}.internalUrl}`
  await cluster.ok('PUT', '/app-env', { appEnvId: reader.appEnvId, envVars: [{ name: 'SERVICE_URL', value }] })
  await finish(cluster, 'deploy-image', reader, { image: cluster.image })
  const rows = await story.answered(story.client.fingerprint, await urlInApp(story, reader))
  if (rows !== story.rows) throw new Error(`With the app's URL the rows are ${rows}`)
}

/** After a rotation the app has a change to apply, which brings it the new password. */
export async function applyRotationToApp(story: ServiceStory): Promise<void> {
  const reader = readerOf(story)
  const pending = await story.pendingFields(reader)
  if (!pending.includes('envVars.SERVICE_URL')) throw new Error(`The app has no change to apply: ${pending.join(', ')}`)
  await story.expectRefused(await urlInApp(story, reader))
  await story.operate('apply-changes', { ...story.main, appEnvId: reader.appEnvId })
  await until(
    'the app has the new password',
    async () => story.answered(story.client.fingerprint, await urlInApp(story, reader)),
    (rows) => rows === story.rows,
    30,
  )
}
