import type { Fixture } from './fixture.ts'
import { UNKNOWN } from './fixture.ts'
import { mutation } from './fragments.ts'
import { seedHostStatus, seedObservations } from './seed.ts'

/** Data that a worker observes: containers, lines, metrics; and hosts and volumes. */
export async function graphqlObserved(fixture: Fixture): Promise<void> {
  const appEnvId = await fixture.appEnv(await fixture.app(), { volume: { path: '/data', disk: 100 } })
  const deployed = await fixture.deploy(appEnvId)
  await seedObservations(fixture.databaseUrl, { appEnvId, ...deployed })
  await seeContainers(fixture, appEnvId)
  await readLogs(fixture, appEnvId, deployed.contentId)
  await useBuildCache(fixture, appEnvId)
  await useHosts(fixture, appEnvId)
  await useVolumes(fixture)
}

async function seeContainers({ graphql }: Fixture, appEnvId: string): Promise<void> {
  const pods = 'query ($appEnvId: ID) { pods(appEnvId: $appEnvId) { ...Pod } }'
  await graphql('list containers', pods, { appEnvId })
  await graphql('list containers of none', pods)
  await graphql('list containers as a stranger', pods, { appEnvId }, { as: 'stranger' })
  await graphql('read an environment that runs', 'query ($id: ID) { appEnv(id: $id) { ...AppEnv } }', { id: appEnvId })
  const metrics = `query ($appEnvId: ID) {
    metrics(appEnvId: $appEnvId) { allocated { cpu memory } used { cpu memory } percent { cpu memory } measuredAt } }`
  await graphql('read measurements', metrics, { appEnvId })
  await graphql('read measurements of an unknown environment', metrics, { appEnvId: `env_${UNKNOWN}` })
  const series = `query ($appEnvId: ID, $metric: Metric!, $from: DateTime, $to: DateTime, $step: MetricStep) {
    metricsSeries(appEnvId: $appEnvId, metric: $metric, from: $from, to: $to, step: $step) { timestamp value } }`
  const times = { from: '2021-05-06T12:00:00Z', to: '2021-05-06T12:10:00Z' }
  await graphql('read a series', series, { appEnvId, metric: 'CPU_PERCENT', ...times })
  await graphql('read a series in steps of 5 minutes', series, {
    appEnvId,
    metric: 'MEMORY_USAGE',
    step: 'FIVE_MINUTES',
    ...times,
  })
  await graphql('read a series of nothing', series, { appEnvId, metric: 'DISK' })
  await graphql('read a series as a stranger', series, { appEnvId, metric: 'CPU_USAGE' }, { as: 'stranger' })
  const several = `query ($appEnvId: ID, $metrics: [Metric!]!, $by: MetricSplit, $from: DateTime, $to: DateTime) {
    metricSeriesList(appEnvId: $appEnvId, metrics: $metrics, by: $by, from: $from, to: $to) {
      metric version containerName points { timestamp value } } }`
  const wanted = ['MEMORY_USAGE', 'REQUESTS']
  await graphql('read several series', several, { appEnvId, metrics: wanted, ...times })
  await graphql('read a series by container', several, { appEnvId, metrics: ['CPU_USAGE'], by: 'CONTAINER', ...times })
  await graphql('read several series of nothing', several, { appEnvId, metrics: ['INVOCATIONS'] })
  await graphql('read several series as a stranger', several, { appEnvId, metrics: wanted }, { as: 'stranger' })
}

async function readLogs({ graphql }: Fixture, appEnvId: string, contentId: string): Promise<void> {
  const document = `query ($appEnvId: ID, $first: Int, $after: String, $last: Int, $before: String, $type: LogType,
    $contentId: ID, $containerName: String, $stream: LogStream, $search: String, $from: DateTime, $to: DateTime) {
    logs(appEnvId: $appEnvId, first: $first, after: $after, last: $last, before: $before, type: $type,
      contentId: $contentId, containerName: $containerName, stream: $stream, search: $search, from: $from, to: $to) {
      edges { cursor node { ...LogLine } } pageInfo { ...Page } } }`
  const logs = (name: string, variables: Record<string, unknown>) => graphql(name, document, { appEnvId, ...variables })
  const { body } = await logs('read lines', { first: 2 })
  const { endCursor } = body.data.logs.pageInfo
  await logs('read earlier lines', { first: 2, after: endCursor })
  await logs('read later lines', { last: 1, before: endCursor })
  await logs('read errors of a version', { stream: 'STDERR', contentId })
  await logs('read lines with a text', { search: '100%' })
  await logs('read lines of a time', { from: '2021-05-06T12:00:01Z', to: '2021-05-06T12:00:02.000Z' })
  await logs('read lines of builds', { type: 'BUILD' })
  await logs('read lines by a bad cursor', { after: 'nonsense' })
  await logs('read lines of an unknown environment', { appEnvId: `env_${UNKNOWN}` })
}

async function useHosts({ graphql, databaseUrl }: Fixture, appEnvId: string): Promise<void> {
  const fields = 'hostId host status cname txtName txtValue appEnv { hosts { ...Host } }'
  const [add, validate, remove] = [
    mutation('addHost', fields),
    mutation('validateHost', fields),
    mutation('removeHost', 'message'),
  ]
  const input = { appEnvId, host: 'shop.example.com' }
  await graphql('add a host', add, { input })
  await graphql('add a host that is taken', add, { input })
  await graphql('add a host, dry', add, { input: { ...input, host: 'www.example.com', dryRun: true } })
  await graphql('add a host as a reader', add, { input }, { as: 'reader' })
  await seedHostStatus(databaseUrl, input.host, 'INVALID', 'No CNAME or TXT record was found')
  await graphql('validate a host', validate, { input })
  await graphql('validate an unknown host', validate, { input: { ...input, host: 'www.example.com' } })
  await graphql('remove a host', remove, { input })
  await graphql('remove a host that is gone', remove, { input })
}

async function useBuildCache({ graphql }: Fixture, id: string): Promise<void> {
  const read = 'query ($id: ID) { buildCache(appEnvId: $id) { appEnvId sizeMb measuredAt clearRequestedAt clearedAt } }'
  await graphql('read the build cache', read, { id })
  await graphql('read the build cache of an unknown environment', read, { id: `env_${UNKNOWN}` })
  const clear = mutation('clearBuildCache', 'message')
  await graphql('clear the build cache', clear, { input: { appEnvId: id } })
  await graphql('clear the build cache of an unknown environment', clear, { input: { appEnvId: `env_${UNKNOWN}` } })
}

async function useVolumes({ graphql, ask, app, appEnv }: Fixture): Promise<void> {
  const spare = await appEnv(await app({ name: 'Spare' }), { volume: { path: '/spare', disk: 5 } })
  await ask('PUT', '/app-env', { appEnvId: spare, volume: null })
  const page = `query ($first: Int, $after: String, $accountId: ID) {
    volumes(first: $first, after: $after, accountId: $accountId) { nodes { ...Volume } edges { cursor } pageInfo { ...Page } } }`
  const { body } = await graphql('list volumes, first page', page, { first: 1 })
  const { nodes, pageInfo } = body.data.volumes
  const one = 'query ($id: ID!) { volume(id: $id) { ...Volume } }'
  await graphql('read a volume', one, { id: nodes[0].id })
  await graphql('read an unknown volume', one, { id: `vol_${UNKNOWN}` })
  const more = await graphql('list volumes, second page', page, { first: 1, after: pageInfo.endCursor })
  await graphql('list volumes of an unknown account', page, { accountId: `acc_${UNKNOWN}` })
  const remove = mutation('deleteVolume', 'message')
  await graphql('delete a volume in use', remove, { input: { volumeId: nodes[0].id } })
  const volumeId = more.body.data.volumes.nodes[0].id
  await graphql('delete a volume at another version', remove, { input: { volumeId, expectedVersion: 7 } })
  await graphql('delete a volume', remove, { input: { volumeId } })
}
