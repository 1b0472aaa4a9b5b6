import type { Fixture } from './fixture.ts'
import { UNKNOWN } from './fixture.ts'
import { mutation } from './fragments.ts'

/** The lifecycle of one environment, its operations and its deployments. */
export async function graphqlLifecycle(fixture: Fixture): Promise<void> {
  const appEnvId = await fixture.appEnv(await fixture.app())
  await deployTwice(fixture, appEnvId)
  await stopAndStart(fixture, appEnvId)
  await changeWhatRuns(fixture, appEnvId)
  await buildFromSource(fixture)
  await readOperations(fixture, appEnvId)
  await restartAndPromote(fixture)
}

const ANSWER = 'success message appEnv { ...AppEnvBriefly } operation { ...OperationBriefly }'

const operationIn = ({ body }: { body: { data: Record<string, { operation: { id: string } }> } }): string =>
  Object.values(body.data)[0]?.operation.id ?? ''

async function deployTwice({ graphql, finish }: Fixture, appEnvId: string): Promise<void> {
  const deploy = mutation('deployImage', ANSWER)
  const input = { appEnvId, image: 'shop:1' }
  await graphql('redeploy before the first deployment', mutation('redeployAppEnv', ANSWER), { input: { appEnvId } })
  await graphql('deploy to none', deploy, { input: { image: 'shop:1' } })
  await graphql('deploy to an unknown environment', deploy, { input: { ...input, appEnvId: `env_${UNKNOWN}` } })
  await graphql('deploy what is no image', deploy, { input: { ...input, image: '--privileged' } })
  await graphql('deploy as a reader', deploy, { input }, { as: 'reader' })
  await graphql('deploy without a token', deploy, { input }, { as: 'none' })
  await graphql('deploy, dry', deploy, { input: { ...input, dryRun: true } })
  const keyed = { ...input, idempotencyKey: 'first', waitSeconds: 0 }
  const first = await graphql('deploy an image', mutation('deployImage', `${ANSWER} operation { ...Operation }`), {
    input: keyed,
  })
  await graphql('deploy an image again by its key', mutation('deployImage', ANSWER), { input: keyed })
  await graphql('deploy another image by that key', deploy, { input: { ...keyed, image: 'shop:2' } })
  await finish(operationIn(first))
  const second = await graphql('deploy by the CLI name', deploy, {
    input: { envName: 'default-shop-production', image: 'shop:2', waitSeconds: 1 },
  })
  await finish(operationIn(second))
}

async function stopAndStart({ graphql, finish }: Fixture, appEnvId: string): Promise<void> {
  const input = { appEnvId }
  await graphql('start what runs', mutation('startAppEnv', ANSWER), { input })
  const stopping = await graphql('stop', mutation('stopAppEnv', ANSWER), { input })
  await finish(operationIn(stopping))
  await graphql('stop what is stopped', mutation('stopAppEnv', ANSWER), { input })
  await graphql('apply changes to what is stopped', mutation('applyChanges', ANSWER), { input })
  const starting = await graphql('start', mutation('startAppEnv', ANSWER), { input })
  await finish(operationIn(starting))
  await graphql('stop at an old version', mutation('stopAppEnv', ANSWER), { input: { appEnvId, expectedVersion: 1 } })
}

async function changeWhatRuns({ graphql, ask, finish }: Fixture, appEnvId: string): Promise<void> {
  const rollback = mutation('rollbackAppEnv', `${ANSWER} rollbackInfo { fromVersion toVersion contentId }`)
  await graphql('roll back to an unknown version', rollback, { input: { appEnvId, targetContentId: `con_${UNKNOWN}` } })
  const back = await graphql('roll back', rollback, { input: { appEnvId } })
  await finish(operationIn(back))
  const redeploy = mutation('redeployAppEnv', ANSWER)
  const again = await graphql('redeploy', redeploy, { input: { appEnvId } })
  const cancel = mutation('cancelOperation', ANSWER)
  await graphql('cancel an operation', cancel, { input: { operationId: operationIn(again) } })
  await graphql('cancel an operation that has ended', cancel, { input: { operationId: operationIn(again) } })
  const failing = await graphql('redeploy what fails', redeploy, { input: { appEnvId } })
  await finish(operationIn(failing), 'DEAD_LETTER')
  const retry = mutation('retryOperation', `${ANSWER} operation { retriesId }`)
  const retried = await graphql('retry a dead letter', retry, { input: { operationId: operationIn(failing) } })
  await finish(operationIn(retried))
  await graphql('retry what succeeded', retry, { input: { operationId: operationIn(retried) } })
  const apply = mutation('applyChanges', ANSWER)
  await graphql('apply nothing', apply, { input: { appEnvId } })
  await ask('PATCH', '/app-env/scaling', { appEnvId, containers: 3 })
  await graphql('apply a scaling', apply, { input: { appEnvId } })
}

async function restartAndPromote({ graphql, app, appEnv, deploy, finish }: Fixture): Promise<void> {
  const appId = await app({ name: 'Stages' })
  const [staging, production] = [await appEnv(appId, { name: 'staging' }), await appEnv(appId)]
  const restart = mutation('restartAppEnv', ANSWER)
  await graphql('restart what never ran', restart, { input: { appEnvId: staging } })
  const { contentId } = await deploy(staging, 'shop:1')
  const again = await graphql('restart', restart, { input: { appEnvId: staging } })
  await finish(operationIn(again))
  const promote = mutation('promoteDeployment', ANSWER)
  const input = { appEnvId: production, fromAppEnvId: staging }
  await graphql('promote an unknown version', promote, { input: { ...input, contentId: `con_${UNKNOWN}` } })
  const promotion = await graphql('promote a version', promote, { input: { ...input, contentId } })
  await finish(operationIn(promotion))
  const origin = `query ($id: ID!) { appEnv(id: $id) { currentDeployment {
    version image promotedFrom { appEnvId deploymentId version } } } }`
  await graphql('read where a version is from', origin, { id: production })
}

async function buildFromSource({ graphql, origin, app, appEnv, finish }: Fixture): Promise<void> {
  const build = mutation('buildAppEnv', ANSWER)
  const image = await appEnv(await app({ name: 'Image' }))
  await graphql('build what has no source', build, { input: { appEnvId: image } })
  const git = { name: 'Git', useImage: false, image: undefined, gitRepo: 'https://git.example.com/shop.git' }
  const appEnvId = await appEnv(await app(git), { branch: 'main' })
  const building = await graphql('build', build, { input: { appEnvId, forceNewBuild: true } })
  await finish(operationIn(building), 'FAILED')
  const key = mutation('requestStorageKey', 'storageKey uploadUrl envUrl')
  await graphql('ask for an upload of an app without uploads', key, { input: { appEnvId, fileExtension: '.zip' } })
  const cli = await appEnv(await app({ name: 'CLI', useImage: false, image: undefined, isCliDeployment: true }))
  const { body } = await graphql('ask for an upload', key, { input: { appEnvId: cli, fileExtension: '.tgz' } })
  const { storageKey, uploadUrl } = body.data.requestStorageKey
  const notify = mutation('notifyCodeUpload', ANSWER)
  await graphql('build an upload that has not come', notify, { input: { appEnvId: cli, storageKey } })
  // GraphQL names the configured address, where nothing listens here.
  const { pathname, search } = new URL(uploadUrl)
  await fetch(`${origin}${pathname}${search}`, { method: 'PUT', body: 'an archive' })
  await graphql('build an upload', notify, { input: { appEnvId: cli, storageKey } })
}

async function readOperations({ graphql }: Fixture, appEnvId: string): Promise<void> {
  const page = `query ($appEnvId: ID, $first: Int, $after: String, $isDeadLetter: Boolean) {
    operations(appEnvId: $appEnvId, first: $first, after: $after, isDeadLetter: $isDeadLetter) {
      nodes { ...Operation } edges { cursor } pageInfo { ...Page } } }`
  const { body } = await graphql('list operations, first page', page, { appEnvId, first: 2 })
  const { nodes, pageInfo } = body.data.operations
  await graphql('list operations, second page', page, { appEnvId, first: 1, after: pageInfo.endCursor })
  await graphql('list dead letters', page, { appEnvId, isDeadLetter: true })
  await graphql('list operations of an unknown environment', page, { appEnvId: `env_${UNKNOWN}` })
  const one = 'query ($id: ID!) { operation(id: $id) { ...OperationBriefly } }'
  await graphql('read an operation', one, { id: nodes[0].id })
  await graphql('read an unknown operation', one, { id: `op_${UNKNOWN}` })
  await graphql('read an operation of others', one, { id: nodes[0].id }, { as: 'stranger' })
  const versions = `query ($appEnvId: ID, $first: Int, $after: String, $to: DateTime) {
    deployments(appEnvId: $appEnvId, first: $first, after: $after, to: $to) {
      nodes { ...Deployment } edges { cursor } pageInfo { ...Page } } }`
  const deployments = (await graphql('list deployments, first page', versions, { appEnvId, first: 3 })).body.data
    .deployments
  const after = deployments.pageInfo.endCursor
  await graphql('list deployments, second page', versions, { appEnvId, first: 1, after })
  await graphql('list deployments of long ago', versions, { appEnvId, to: '2021-01-01T00:00:00Z' })
  await graphql('list deployments of a bad date', versions, { appEnvId, to: 'yesterday' })
  await graphql('list deployments of none', versions)
  const deployment =
    'query ($id: ID!) { deployment(id: $id) { id version appEnv { id operations(first: 1) { nodes { kind } } } } }'
  await graphql('read a deployment', deployment, { id: deployments.nodes[1].id })
  await graphql('read an unknown deployment', deployment, { id: `con_${UNKNOWN}` })
  const configuration = `query ($id: ID!) { deploymentConfiguration(contentId: $id) {
    version image port cpu memory healthCheck { type } variables { ...Variable } build { gitRepo } } }`
  const [newest, older] = [deployments.nodes[0].id, deployments.nodes[1].id]
  await graphql('read what a version runs with', configuration, { id: newest })
  await graphql('read it of an unknown version', configuration, { id: `con_${UNKNOWN}` })
  const difference = `query ($from: ID, $to: ID) { difference(fromContentId: $from, toContentId: $to) {
    from { version } to { version } hasBuildChanges changes { kind field from to } } }`
  await graphql('compare two versions', difference, { from: older, to: newest })
  await graphql('compare one version', difference, { from: older })
}
