import type { Fixture } from './fixture.ts'
import { operationOf, UNKNOWN } from './fixture.ts'
import { seedHostStatus, seedObservations } from './seed.ts'

/** Data that a worker observes: containers, lines, metrics; and hosts, volumes and uploads. */
export async function restObserved(fixture: Fixture): Promise<void> {
  const appEnvId = await fixture.appEnv(await fixture.app(), { volume: { path: '/data', disk: 100 } })
  await seeNothing(fixture, appEnvId)
  await seedObservations(fixture.databaseUrl, { appEnvId, ...(await fixture.deploy(appEnvId)) })
  await seeContainers(fixture, appEnvId)
  await readLogs(fixture, appEnvId)
  await useBuildCache(fixture, appEnvId)
  await useHosts(fixture, appEnvId)
  await useVolumes(fixture)
  await uploadSource(fixture)
}

async function seeNothing({ rest }: Fixture, appEnvId: string): Promise<void> {
  await rest('list no containers', 'GET /app-env/pods', { appEnvId })
  await rest('read no measurements', 'GET /app-env/metrics', { appEnvId })
  await rest('read no lines', 'GET /logs', { appEnvId })
}

async function seeContainers({ rest }: Fixture, appEnvId: string): Promise<void> {
  const unknown = { appEnvId: `env_${UNKNOWN}` }
  await rest('list containers', 'GET /app-env/pods', { appEnvId })
  await rest('list containers of an unknown environment', 'GET /app-env/pods', unknown)
  await rest('list containers as a stranger', 'GET /app-env/pods', { appEnvId }, { as: 'stranger' })
  await rest('read the health of containers', 'GET /app-env/status', { appEnvId })
  await rest('read measurements', 'GET /app-env/metrics', { appEnvId })
  await rest('read measurements of an unknown environment', 'GET /app-env/metrics', unknown)
  const times = { from: '2021-05-06T12:00:00Z', to: '2021-05-06T12:10:00Z' }
  for (const metric of ['cpu_usage', 'memory_usage', 'cpu_percent', 'memory_percent'])
    await rest(`read the series ${metric}`, 'GET /app-env/metrics-series', { appEnvId, metric, ...times })
  await rest('read a series in steps of 15 minutes', 'GET /app-env/metrics-series', {
    appEnvId,
    metric: 'cpu_usage',
    step: '15m',
    ...times,
  })
  await rest('read a series of nothing', 'GET /app-env/metrics-series', { appEnvId, metric: 'disk', ...times })
  await rest('read a series of an unknown environment', 'GET /app-env/metrics-series', {
    ...unknown,
    metric: 'cpu_usage',
  })
}

async function readLogs({ rest }: Fixture, appEnvId: string): Promise<void> {
  const logs = (name: string, query: Record<string, string>) => rest(name, 'GET /logs', { appEnvId, ...query })
  const { body } = await logs('read lines', { size: '2' })
  await logs('read earlier lines', { size: '2', cursor: body.nextCursor })
  await logs('read all lines', {})
  await logs('read errors', { stream: 'stderr' })
  await logs('read lines of one container', { containerName: 'berth-shop-v1-1' })
  await logs('read lines with a text', { search: '100%' })
  await logs('read lines of a time', { from: '2021-05-06T12:00:01Z', to: '2021-05-06T12:00:02.000Z' })
  await logs('read lines of another type', { type: 'JOB' })
  await logs('read lines of builds', { type: 'BUILD' })
  const live = await logs('read lines live', { isLive: 'true', size: '2' })
  await logs('read on live', { isLive: 'true', cursor: live.body.nextCursor })
  await logs('read lines by a bad cursor', { cursor: 'nonsense' })
  await logs('read lines by a bad live cursor', { isLive: 'true', cursor: '1.2' })
  await logs('read lines of an unknown stream', { stream: 'stdin' })
  await rest('read lines of an unknown environment', 'GET /logs', { appEnvId: `env_${UNKNOWN}` })
  await rest('read lines as a stranger', 'GET /logs', { appEnvId }, { as: 'stranger' })
}

async function useHosts({ rest, databaseUrl }: Fixture, appEnvId: string): Promise<void> {
  const host = 'shop.example.com'
  const added = await rest('add a host', 'POST /app-env/host', { appEnvId, host: 'Shop.Example.com' })
  const { hostId } = added.body
  await rest('add a host that is taken', 'POST /app-env/host', { appEnvId, host })
  await rest('add a host that is no name', 'POST /app-env/host', { appEnvId, host: '10.0.0.1' })
  await rest('add a host of the platform', 'POST /app-env/host', { appEnvId, host: 'x.berth.localhost' })
  await rest(
    'add a host, dry',
    'POST /app-env/host',
    { appEnvId, host: 'www.example.com' },
    { query: { dryRun: 'true' } },
  )
  const { headers } = await rest('read a host', 'GET /app-env/host', { appEnvId, hostId })
  const known = { headers: { 'if-none-match': headers.get('etag') ?? '' } }
  await rest('read a host that has not changed', 'GET /app-env/host', { appEnvId, hostId }, known)
  await seedHostStatus(databaseUrl, host, 'INVALID', 'No CNAME or TXT record was found')
  await rest('read a host that failed validation', 'GET /app-env/host', { appEnvId, host }, known)
  await rest('read no host', 'GET /app-env/host', { appEnvId })
  await rest('read an unknown host', 'GET /app-env/host', { appEnvId, hostId: `host_${UNKNOWN}` })
  await rest('list hosts', 'GET /app-env/hosts', { appEnvId })
  await rest('list hosts of an unknown environment', 'GET /app-env/hosts', { appEnvId: `env_${UNKNOWN}` })
  await rest('validate a host', 'PUT /app-env/host', { appEnvId, host })
  await rest('validate an unknown host', 'PUT /app-env/host', { appEnvId, host: 'www.example.com' })
  await rest('remove a host that came with the environment', 'DELETE /app-env/host', {
    appEnvId,
    host: 'default-shop-production.berth.localhost',
  })
  await rest('remove a host as a reader', 'DELETE /app-env/host', { appEnvId, host }, { as: 'reader' })
  await rest('remove a host', 'DELETE /app-env/host', { appEnvId, host })
  await rest('remove a host that is gone', 'DELETE /app-env/host', { appEnvId, host })
}

async function useBuildCache({ rest }: Fixture, appEnvId: string): Promise<void> {
  const unknown = { appEnvId: `env_${UNKNOWN}` }
  await rest('read the build cache', 'GET /app-env/build-cache', { appEnvId })
  await rest('read the build cache of an unknown environment', 'GET /app-env/build-cache', unknown)
  await rest('clear the build cache', 'DELETE /app-env/build-cache', { appEnvId })
  await rest('clear the build cache of an unknown environment', 'DELETE /app-env/build-cache', unknown)
}

async function useVolumes({ rest, ask, app, appEnv }: Fixture): Promise<void> {
  const spare = await appEnv(await app({ name: 'Spare' }), { volume: { path: '/spare', disk: 5 } })
  const { body } = await rest('list volumes', 'GET /volumes', { limit: '1' })
  const { volumeId: known } = body.volumes[0]
  await rest('read a volume', 'GET /volume', { volumeId: known })
  await rest('read a volume as a stranger', 'GET /volume', { volumeId: known }, { as: 'stranger' })
  await rest('read an unknown volume', 'GET /volume', { volumeId: `vol_${UNKNOWN}` })
  const more = await rest('list more volumes', 'GET /volumes', { cursor: body.nextCursor })
  await rest('list volumes of an unknown account', 'GET /volumes', { accountId: `acc_${UNKNOWN}` })
  await rest('delete a volume in use', 'DELETE /volume', { volumeId: more.body.volumes[0].volumeId })
  const { volumeId } = body.volumes[0]
  await ask('PUT', '/app-env', { appEnvId: spare, volume: null })
  await rest('list volumes of which one is not in use', 'GET /volumes')
  await rest('delete a volume as a reader', 'DELETE /volume', { volumeId }, { as: 'reader' })
  await rest('delete a volume, dry', 'DELETE /volume', { volumeId, dryRun: 'true' })
  await rest('delete a volume', 'DELETE /volume', { volumeId })
  await rest('delete a volume that is gone', 'DELETE /volume', { volumeId })
}

async function uploadSource({ rest, app, appEnv }: Fixture): Promise<void> {
  const image = await appEnv(await app({ name: 'Image' }))
  const key = 'POST /app-env/request-storage-key'
  await rest('ask for an upload of an app without source', key, { appEnvId: image, fileExtension: '.zip' })
  const appEnvId = await appEnv(await app({ name: 'CLI', useImage: false, image: undefined, isCliDeployment: true }))
  await rest('ask for an upload of another kind', key, { appEnvId, fileExtension: '.rar' })
  const { body } = await rest('ask for an upload', key, { appEnvId, fileExtension: '.tgz' })
  const { storageKey } = body
  const notify = 'POST /app-env/notify-code-upload'
  await rest('build an upload that has not come', notify, { appEnvId, storageKey })
  await rest('build an unknown upload', notify, { appEnvId, storageKey: `upl_${UNKNOWN}` })
  const { pathname, searchParams } = new URL(body.uploadUrl)
  const archive = { headers: { 'content-type': 'application/gzip' }, as: 'none' }
  const upload = (name: string, content: string, query: Record<string, string>) =>
    rest(name, `PUT /${pathname}`, content, { ...archive, query })
  const query = Object.fromEntries(searchParams)
  await upload('upload nothing', '', query)
  await upload('upload with another secret', 'an archive', { ...query, secret: 'guessed' })
  await upload('upload without a key', 'an archive', {})
  await upload('upload', 'an archive', query)
  const building = await rest('build an upload', notify, { envName: 'default-cli-production', storageKey })
  await rest('read the build of an upload', 'GET /operation', { operationId: operationOf(building.headers) })
  const event = 'POST /app-env/upload-storage-event'
  await rest('build an upload, as older clients report it', event, { envName: 'default-cli-production', storageKey })
}
