import type { Fixture } from './fixture.ts'
import { operationOf, UNKNOWN } from './fixture.ts'

/** The lifecycle of one environment, its operations and its history. */
export async function restLifecycle(fixture: Fixture): Promise<void> {
  const appEnvId = await fixture.appEnv(await fixture.app())
  await refuse(fixture, appEnvId)
  await deployTwice(fixture, appEnvId)
  await stopAndStart(fixture, appEnvId)
  await changeWhatRuns(fixture, appEnvId)
  await buildFromSource(fixture)
  await readOperations(fixture, appEnvId)
  await restartAndPromote(fixture)
}

async function refuse({ rest, app, appEnv, ask }: Fixture, appEnvId: string): Promise<void> {
  await rest('redeploy before the first deployment', 'POST /app-env/redeploy', { appEnvId })
  await rest('roll back before the first deployment', 'POST /app-env/rollback', { appEnvId })
  await rest('stop before the first deployment', 'POST /app-env/stop', { appEnvId })
  await rest('start before the first deployment', 'POST /app-env/start', { appEnvId })
  await rest('apply before the first deployment', 'POST /app-env/apply-changes', { appEnvId })
  await rest('deploy to none', 'POST /app-env/deploy-image', { image: 'shop:1' })
  await rest('deploy to an unknown environment', 'POST /app-env/deploy-image', {
    appEnvId: `env_${UNKNOWN}`,
    image: 'shop:1',
  })
  await rest('deploy what is no image', 'POST /app-env/deploy-image', { appEnvId, image: '--privileged' })
  await rest('deploy as a reader', 'POST /app-env/deploy-image', { appEnvId, image: 'shop:1' }, { as: 'reader' })
  await rest('deploy as a stranger', 'POST /app-env/deploy-image', { appEnvId, image: 'shop:1' }, { as: 'stranger' })
  const source = await appEnv(await app({ name: 'Source', useImage: false, image: undefined }))
  await rest('deploy an image to a source build', 'POST /app-env/deploy-image', { appEnvId: source, image: 'shop:1' })
  const { token } = (await ask('POST', '/token', { kind: 'ENVIRONMENT', name: 'CI', appEnvId: source })).body
  await rest(
    'deploy with the token of another environment',
    'POST /app-env/deploy-image',
    { appEnvId, image: 'a:1' },
    {
      as: 'none',
      headers: { authorization: token },
    },
  )
}

async function deployTwice({ rest, finish }: Fixture, appEnvId: string): Promise<void> {
  const dry = { query: { dryRun: 'true' } }
  await rest('deploy, dry', 'POST /app-env/deploy-image', { appEnvId, image: 'shop:1' }, dry)
  const keyed = { headers: { 'idempotency-key': 'first', prefer: 'wait=0' } }
  const first = await rest('deploy an image', 'POST /app-env/deploy-image', { appEnvId, image: 'shop:1' }, keyed)
  await rest('deploy an image again by its key', 'POST /app-env/deploy-image', { appEnvId, image: 'shop:1' }, keyed)
  await rest('deploy another image by that key', 'POST /app-env/deploy-image', { appEnvId, image: 'shop:2' }, keyed)
  const operationId = operationOf(first.headers)
  await rest('read an operation that is queued', 'GET /operation', { operationId })
  await rest('read the status while a version is queued', 'GET /app-env/status', { appEnvId })
  const waiting = { headers: { prefer: 'respond-async, wait=1' } }
  await rest(
    'deploy while another is queued, and wait',
    'POST /app-env/deploy-image',
    { appEnvId, image: 'shop:2' },
    waiting,
  )
  const { headers } = await rest('deploy by the CLI name', 'POST /app-env/deploy-image', {
    envName: 'default-shop-production',
    image: 'registry.example.com:5000/acme/shop:3',
  })
  await rest('read an operation that was replaced', 'GET /operation', { operationId })
  await finish(operationOf(headers))
  const ended = await rest('read an operation that succeeded', 'GET /operation', { operationId: operationOf(headers) })
  const known = { headers: { 'if-none-match': ended.headers.get('etag') ?? '' } }
  await rest('read an operation that has not changed', 'GET /operation', { operationId: operationOf(headers) }, known)
  await rest('roll back without an earlier version', 'POST /app-env/rollback', { appEnvId })
  await rest('read the status of what runs', 'GET /app-env/status', { appEnvId })
}

async function stopAndStart({ rest, finish }: Fixture, appEnvId: string): Promise<void> {
  await rest('start what runs', 'POST /app-env/start', { appEnvId })
  const stopping = await rest('stop', 'POST /app-env/stop', { appEnvId })
  await rest('stop what is stopping', 'POST /app-env/stop', { appEnvId })
  await finish(operationOf(stopping.headers))
  await rest('stop what is stopped', 'POST /app-env/stop', { appEnvId })
  await rest('apply changes to what is stopped', 'POST /app-env/apply-changes', { appEnvId })
  const starting = await rest('start', 'POST /app-env/start', { appEnvId })
  await rest('start what is starting', 'POST /app-env/start', { appEnvId })
  await finish(operationOf(starting.headers))
  await rest('stop, dry', 'POST /app-env/stop', { appEnvId }, { query: { dryRun: 'true' } })
  await rest('stop at an old version', 'POST /app-env/stop', { appEnvId }, { headers: { 'if-match': '"v1"' } })
}

async function changeWhatRuns({ rest, ask, deploy, finish }: Fixture, appEnvId: string): Promise<void> {
  const { contentId } = await deploy(appEnvId, 'shop:4')
  await rest('roll back to what runs', 'POST /app-env/rollback', { appEnvId, targetContentId: contentId })
  await rest('roll back to an unknown version', 'POST /app-env/rollback', {
    appEnvId,
    targetContentId: `con_${UNKNOWN}`,
  })
  const back = await rest('roll back', 'POST /app-env/rollback', { appEnvId })
  await finish(operationOf(back.headers))
  await rest('redeploy an unknown version', 'POST /app-env/redeploy', { appEnvId, contentId: `con_${UNKNOWN}` })
  const again = await rest('redeploy a version', 'POST /app-env/redeploy', { appEnvId, contentId })
  await rest(
    'cancel an operation, dry',
    'POST /operation/cancel',
    { operationId: operationOf(again.headers) },
    {
      query: { dryRun: 'true' },
    },
  )
  await rest('cancel an operation', 'POST /operation/cancel', { operationId: operationOf(again.headers) })
  await rest('cancel an operation that has ended', 'POST /operation/cancel', {
    operationId: operationOf(again.headers),
  })
  await rest('cancel an unknown operation', 'POST /operation/cancel', { operationId: `op_${UNKNOWN}` })
  const failing = await rest('redeploy', 'POST /app-env/redeploy', { appEnvId })
  await finish(operationOf(failing.headers), 'DEAD_LETTER')
  await rest('read a dead letter', 'GET /operation', { operationId: operationOf(failing.headers) })
  await rest('list dead letters', 'GET /operations', { appEnvId, isDeadLetter: 'true' })
  const retried = await rest('retry a dead letter', 'POST /operation/retry', {
    operationId: operationOf(failing.headers),
  })
  await finish(operationOf(retried.headers))
  await rest('retry what succeeded', 'POST /operation/retry', { operationId: operationOf(retried.headers) })
  await rest(
    'retry as a reader',
    'POST /operation/retry',
    { operationId: operationOf(failing.headers) },
    { as: 'reader' },
  )
  await rest('apply nothing', 'POST /app-env/apply-changes', { appEnvId })
  await ask('PATCH', '/app-env/scaling', { appEnvId, containers: 3 })
  await rest('apply a scaling, dry', 'POST /app-env/apply-changes', { appEnvId }, { query: { dryRun: 'true' } })
  const scaled = await rest('apply a scaling', 'POST /app-env/apply-changes', { appEnvId })
  await finish(operationOf(scaled.headers))
  await ask('PUT', '/app-env/variables', { appEnvId, variables: [{ name: 'A', value: '1' }] })
  await rest('apply a variable', 'POST /app-env/apply-changes', { appEnvId })
}

async function restartAndPromote({ rest, app, appEnv, deploy, finish }: Fixture): Promise<void> {
  const appId = await app({ name: 'Stages' })
  const [staging, production] = [await appEnv(appId, { name: 'staging' }), await appEnv(appId)]
  await rest('restart what never ran', 'POST /app-env/restart', { appEnvId: staging })
  await deploy(staging, 'shop:1')
  const again = await rest('restart', 'POST /app-env/restart', { appEnvId: staging })
  await finish(operationOf(again.headers))
  const input = { appEnvId: production, fromAppEnvId: staging }
  await rest('promote an unknown version', 'POST /app-env/promote', { ...input, contentId: `con_${UNKNOWN}` })
  const promotion = await rest('promote what serves', 'POST /app-env/promote', input)
  await finish(operationOf(promotion.headers))
  await rest('read where a version is from', 'GET /app-env/status', { appEnvId: production })
}

async function buildFromSource({ rest, app, appEnv, finish }: Fixture): Promise<void> {
  const image = await appEnv(await app({ name: 'Image' }))
  await rest('build what has no source', 'POST /app-env/build', { appEnvId: image })
  const git = { name: 'Git', useImage: false, image: undefined, gitRepo: 'https://git.example.com/shop.git' }
  const nixpacks = await appEnv(await app({ ...git, builder: 'NIXPACKS' }), { branch: 'main' })
  await rest('build by a builder that is not there', 'POST /app-env/build', { appEnvId: nixpacks })
  const appEnvId = await appEnv(await app({ ...git, name: 'Git 2' }), { branch: 'main' })
  await rest('build, dry', 'POST /app-env/build', { appEnvId }, { query: { dryRun: 'true' } })
  const { headers } = await rest('build', 'POST /app-env/build', { appEnvId, forceNewBuild: true })
  await rest('read the status while a build is queued', 'GET /app-env/status', { appEnvId })
  await finish(operationOf(headers), 'FAILED')
  await rest('read the history of a build that failed', 'GET /app-env/history', { appEnvId })
  await rest('rebuild a version of none', 'POST /app-env/build', {
    appEnvId,
    isRebuild: true,
    fromContentId: `con_${UNKNOWN}`,
  })
}

async function readOperations({ rest, ask }: Fixture, appEnvId: string): Promise<void> {
  const { body } = await rest('list operations, first page', 'GET /operations', { appEnvId, limit: '2' })
  await rest('list operations, second page', 'GET /operations', { appEnvId, limit: '2', cursor: body.nextCursor })
  await rest('list what is no dead letter', 'GET /operations', { appEnvId, isDeadLetter: 'false', limit: '1' })
  await rest('list operations of an unknown environment', 'GET /operations', { appEnvId: `env_${UNKNOWN}` })
  await rest('read an unknown operation', 'GET /operation', { operationId: `op_${UNKNOWN}` })
  await rest(
    'read an operation of others',
    'GET /operation',
    { operationId: body.operations[0].operationId },
    {
      as: 'stranger',
    },
  )
  await rest('read the history', 'GET /app-env/history', { appEnvId })
  const versions = (await ask('GET', '/app-env/history', { appEnvId })).body.activities
  const [newest, oldest] = [versions[0].contentId, versions.at(-1).contentId]
  const configuration = 'GET /app-env/deployment-configuration'
  await rest('read what a version runs with', configuration, { contentId: newest })
  await rest('read it as a stranger', configuration, { contentId: newest }, { as: 'stranger' })
  await rest('read it of an unknown version', configuration, { contentId: `con_${UNKNOWN}` })
  const difference = 'GET /app-env/difference'
  await rest('compare two versions', difference, { fromContentId: oldest, toContentId: newest })
  await rest('compare a version and what is configured', difference, { fromContentId: oldest, toAppEnvId: appEnvId })
  await rest('compare one side', difference, { fromContentId: oldest })
  await rest('compare a side with two names', difference, {
    fromContentId: oldest,
    fromAppEnvId: appEnvId,
    toAppEnvId: appEnvId,
  })
  await rest('compare as a stranger', difference, { fromContentId: oldest, toContentId: newest }, { as: 'stranger' })
  await rest('read a page of the history', 'GET /app-env/history', { appEnvId, limit: '2', offset: '1' })
  await rest('read the history of long ago', 'GET /app-env/history', { appEnvId, toDate: '2021-01-01T00:00:00Z' })
  await rest('read the history by a bad date', 'GET /app-env/history', { appEnvId, fromDate: 'yesterday' })
  await rest('read the history of an unknown environment', 'GET /app-env/history', { appEnvId: `env_${UNKNOWN}` })
}
