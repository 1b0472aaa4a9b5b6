import { setTimeout as pause } from 'node:timers/promises'
import type Docker from 'dockerode'
import { versionName } from '../../../src/app-types/engines/engines.ts'
import { bash } from '../engine-clients.ts'
import type { Service, ServiceStory } from './service-story.ts'
import { until } from './until.ts'

/** Reconciles come every two seconds: in this time the old version would have been started again. */
const WATCHED_MS = 8000

/** The server that runs has its files open; the next one cannot open them. */
const SPOIL = `stat -c '%a %n' * > .modes; chmod 000 *`
const MEND = 'while read -r mode name; do chmod "$mode" "$name"; done < .modes; rm .modes'

const upgradeOf = ({ engine }: ServiceStory) => {
  const [upgrade] = engine.inPlaceUpgrades
  return upgrade ? { from: `${engine.name}_${upgrade.from}`, to: `${engine.name}_${upgrade.to}` } : null
}

export const hasUpgrade = (story: ServiceStory): string | null =>
  upgradeOf(story) ? null : `${story.engine.title} upgrades nothing in place`

const change = ({ cluster }: ServiceStory, { appEnvId }: Service, dockerPresetVersion: string) =>
  cluster.call('PUT', '/app-env', { appEnvId, dockerPresetVersion, applyImmediately: true })

/** Every change of versions that the engine does not make by itself is refused, with what to do instead. */
export async function expectOtherChangesRefused(story: ServiceStory): Promise<void> {
  const { engine, main } = story
  const present = `${engine.name}_${engine.defaultVersion}`
  const others = engine.versions.map((version) => versionName(engine, version)).filter((name) => name !== present)
  if (others.length === 0) throw new Error(`${engine.title} has one version only`)
  for (const other of others)
    await story.expectRefusal(change(story, main, other), 409, /UPGRADE_NOT_IN_PLACE.*back it up, and restore it/)
}

/**
 * The new version cannot start on the data, which it may have changed by then: the old one must stay away from it, and
 * the status has to say so. Once the cause is gone, the new version takes over every row.
 */
export async function failThenUpgrade(story: ServiceStory): Promise<void> {
  const upgrade = upgradeOf(story)
  if (!upgrade) throw new Error('There is nothing to upgrade')
  const service = await story.createService({ dockerPresetVersion: upgrade.from })
  await story.write(service)
  const older = await contentsOf(story, service)
  const volume = await volumeOf(story, service)
  await asRoot(story, volume, SPOIL)
  const { operationId } = await change(story, service, upgrade.to)
  const { reason } = await story.expectEnded(operationId, 'FAILED')
  await expectStopped(story, service, older, upgrade)
  await asRoot(story, volume, MEND)
  await story.operate('redeploy', service)
  await story.expectRows(service)
  if (reason === null) throw new Error('The failed upgrade has no reason')
  await story.expectRefusal(change(story, service, upgrade.from), 409, /UPGRADE_NOT_IN_PLACE/)
  await story.deleteApp(service)
}

/** Versions of the environment that have a running container. */
const contentsOf = async (story: ServiceStory, service: Service): Promise<(string | undefined)[]> =>
  (await story.containers(service))
    .filter(({ State }) => State === 'running')
    .map(({ Labels }) => Labels['berth.content'])

async function expectStopped(
  story: ServiceStory,
  service: Service,
  older: readonly (string | undefined)[],
  { from, to }: { from: string; to: string },
): Promise<void> {
  const end = Date.now() + WATCHED_MS
  while (Date.now() < end) {
    const running = await contentsOf(story, service)
    if (running.some((content) => older.includes(content)))
      throw new Error(`${from} runs on data that ${to} may have changed`)
    await pause(100)
  }
  await until(
    'the status says why nothing runs, and what to do',
    () => story.status(service),
    ({ health, observedReason }) =>
      health === 'UNHEALTHY' && [from, to, 'redeploy'].every((word) => observedReason?.includes(word)),
  )
}

async function volumeOf({ cluster, engine }: ServiceStory, service: Service): Promise<string> {
  const filters = { label: [`berth.env=${service.appEnvId}`, 'berth.role=volume'] }
  const { Volumes } = await cluster.docker.listVolumes({ filters })
  const [volume] = Volumes
  if (!volume) throw new Error(`${engine.title} has no volume`)
  return volume.Name
}

async function asRoot({ cluster, engine }: ServiceStory, volume: string, script: string): Promise<void> {
  const docker: Docker = cluster.docker
  const container = await docker.createContainer({
    Image: engine.versions[0].image,
    Entrypoint: [...bash(script)],
    WorkingDir: '/volume',
    User: '0:0',
    HostConfig: { Binds: [`${volume}:/volume`], NetworkMode: 'none' },
  })
  try {
    await container.start()
    const { StatusCode } = await container.wait()
    if (StatusCode !== 0) throw new Error(`The script ended with ${StatusCode}`)
  } finally {
    await container.remove({ force: true, v: true })
  }
}
