import type { Fixture } from './fixture.ts'
import { UNKNOWN } from './fixture.ts'

/** Apps, and features of every write and every single read: versions, dry runs, idempotency, ETags, pages. */
export async function restApps(fixture: Fixture): Promise<void> {
  const appId = await createApps(fixture)
  await readApps(fixture, appId)
  await changeApps(fixture, appId)
  await repeatWrites(fixture, appId)
  await deleteApps(fixture, appId)
}

async function createApps({ rest, accountId, ask }: Fixture): Promise<string> {
  const shop = { name: 'Shop', accountId, port: 8080, useImage: true, image: 'shop:1' }
  const created = await rest('create an app', 'POST /app', shop)
  const data = { registry: 'registry.example.com', username: 'ada', password: 'hush' }
  const credential = { accountId, type: 'CONTAINER_REGISTRY', name: 'Login', data }
  const { credentialId } = (await ask('POST', '/credential', credential)).body
  await rest('create an app with every field of a build', 'POST /app', {
    name: 'From source',
    accountId,
    port: 3000,
    dockerPreset: 'NEXT_JS',
    dockerPresetVersion: 'NEXT_JS_NODE_JS_22',
    gitProvider: 'GITHUB',
    gitNamespace: 'acme',
    gitRepo: 'shop',
    gitInstallationId: '42',
    builder: 'DOCKER',
    buildArgs: 'A=1',
    contextDir: './web',
    buildPullAccountSecretId: credentialId,
    healthCheckPath: '/ready',
    healthCheckPort: 9000,
    healthCheckHeaders: { Host: 'shop.test' },
  })
  await rest('create an app with an environment, and deploy it', 'POST /app', {
    ...shop,
    name: 'At once',
    appEnv: { name: 'main' },
  })
  await rest('create an app with an environment that is wrong', 'POST /app', {
    ...shop,
    name: 'Never',
    appEnv: { name: 'main', containers: 0, disk: 10 },
  })
  await rest('create a job', 'POST /app', {
    name: 'Migrate',
    accountId,
    appType: 'job',
    useImage: true,
    image: 'shop:1',
    jobConfig: { command: 'migrate', args: ['up'], shell: false, timeoutSeconds: 60, concurrencyPolicy: 'REJECT' },
  })
  await rest('create a function', 'POST /app', {
    name: 'Resize',
    accountId,
    dockerPreset: 'FUNCTION',
    port: 8080,
    functionConfig: { minScale: 1, maxScale: 2, concurrency: 3, idleSeconds: 4, timeoutSeconds: 5 },
  })
  await rest('create an app of a name that is taken', 'POST /app', shop)
  await rest('create an app, dry', 'POST /app', { ...shop, name: 'Never' }, { query: { dryRun: 'true' } })
  await rest('create an app with fields missing and unknown', 'POST /app', { name: 'Shop', colour: 'red' })
  await rest('create an app with fields that contradict', 'POST /app', {
    ...shop,
    image: 'Not An Image',
    dockerfilePath: 'a',
    customDockerfileContent: 'FROM scratch',
    port: 70_000,
  })
  await rest('create a database with an image', 'POST /app', { ...shop, dockerPreset: 'REDIS' })
  await rest('create an app in an unknown account', 'POST /app', { ...shop, accountId: `acc_${UNKNOWN}` })
  await rest('create an app as a reader', 'POST /app', shop, { as: 'reader' })
  await rest('create an app as a stranger', 'POST /app', shop, { as: 'stranger' })
  return created.body.appId
}

async function readApps({ rest, elsewhere }: Fixture, appId: string): Promise<void> {
  const { headers } = await rest('read an app', 'GET /app', { appId })
  const etag = headers.get('etag') ?? ''
  await rest('read an app that has not changed', 'GET /app', { appId }, { headers: { 'if-none-match': etag } })
  const several = `"v0-AbCdEfGhIjKlMn_-", W/${etag}`
  await rest('read an app of which several are known', 'GET /app', { appId }, { headers: { 'if-none-match': several } })
  await rest(
    'read an app of which another is known',
    'GET /app',
    { appId },
    {
      headers: { 'if-none-match': '"v0-AbCdEfGhIjKlMn_-"' },
    },
  )
  await rest('read the head of an app', 'HEAD /app', { appId })
  await rest('read no app', 'GET /app')
  await rest('read an unknown app', 'GET /app', { appId: `app_${UNKNOWN}` })
  await rest('read an app with a parameter twice', `GET /app?appId=${appId}&appId=${appId}`)
  await rest('read an app of others', 'GET /app', { appId }, { as: 'stranger' })

  const { body } = await rest('list apps, first page', 'GET /apps', { limit: '2' })
  await rest('list apps, second page', 'GET /apps', { limit: '2', cursor: body.nextCursor })
  await rest('list apps, all', 'GET /apps')
  await rest('list apps of an account without any', 'GET /apps', { accountId: elsewhere })
  await rest('list apps by a bad cursor', 'GET /apps', { cursor: 'nonsense' })
  await rest('list apps with limits out of range', 'GET /apps', { limit: '0' })
  await rest('list apps with a limit that is no number', 'GET /apps', { limit: 'ten' })
  await rest('list apps of others', 'GET /apps', { accountId: elsewhere }, { as: 'reader' })
}

async function changeApps({ rest, appEnv, deploy, finish }: Fixture, appId: string): Promise<void> {
  await rest('change an app', 'PATCH /app', { appId, port: 81, healthCheckPath: '/healthz' })
  await rest('change an app at its version', 'PATCH /app', { appId, port: 82 }, { headers: { 'if-match': '"v2"' } })
  await rest('change an app at an old version', 'PATCH /app', { appId, port: 83 }, { headers: { 'if-match': '"v1"' } })
  await rest('change an app at no version', 'PATCH /app', { appId, port: 83 }, { headers: { 'if-match': 'v3' } })
  await rest('change an app at any version', 'PATCH /app', { appId, port: 83 }, { headers: { 'if-match': '*' } })
  const appEnvId = await appEnv(appId)
  await deploy(appEnvId)
  await rest('change an app that runs', 'PATCH /app', { appId, port: 84 })
  const dry = { query: { dryRun: 'true' } }
  await rest('change an app, dry', 'PATCH /app', { appId, image: 'shop:2' }, dry)
  await rest('change an app with a bad dryRun', 'PATCH /app', { appId, port: 85 }, { query: { dryRun: 'perhaps' } })
  await rest('change an app with a field in the query', 'PATCH /app', { appId }, { query: { port: '85' } })
  await rest('change an app and apply it', 'PATCH /app', { appId, port: 86, applyImmediately: true })
  await rest('change an app and apply it while that is under way', 'PATCH /app', {
    appId,
    port: 87,
    applyImmediately: true,
  })
  const { body } = await rest('list what changing the app started', 'GET /operations', { appEnvId })
  for (const { operationId } of body.operations) await finish(operationId)
  await rest('change an app to another type', 'PATCH /app', { appId, dockerPreset: 'JOB' })
  await rest('change an unknown app', 'PATCH /app', { appId: `app_${UNKNOWN}`, port: 81 })
  await rest('change an app as a reader', 'PATCH /app', { appId, port: 81 }, { as: 'reader' })
}

async function repeatWrites({ rest, accountId }: Fixture, appId: string): Promise<void> {
  const headers = { 'idempotency-key': 'once' }
  const blog = { name: 'Blog', accountId, port: 80 }
  await rest('create an app with a key', 'POST /app', blog, { headers })
  await rest('create an app with a key again', 'POST /app', blog, { headers })
  await rest('create another app with the same key', 'POST /app', { ...blog, port: 81 }, { headers })
  await rest('create an app with an empty key', 'POST /app', blog, { headers: { 'idempotency-key': '' } })
  const long = { 'idempotency-key': 'k'.repeat(256) }
  await rest('create an app with a key that is too long', 'POST /app', blog, { headers: long })
  const refused = { headers: { 'idempotency-key': 'refused', 'if-match': '"v1"' } }
  await rest('be refused with a key', 'PATCH /app', { appId, port: 80 }, refused)
  await rest('be refused with a key again', 'PATCH /app', { appId, port: 80 }, refused)
}

async function deleteApps({ rest, app, appEnv }: Fixture, appId: string): Promise<void> {
  const protectedApp = await app({ name: 'Protected' })
  await appEnv(protectedApp, { preventDestroy: true })
  await rest('delete an app that is protected', 'DELETE /app', { appId: protectedApp })
  await rest('delete an app as TECHNICAL', 'DELETE /app', { appId }, { as: 'technical' })
  await rest('delete an app at an old version', 'DELETE /app', { appId }, { headers: { 'if-match': '"v1"' } })
  await rest('delete an app, dry', 'DELETE /app', { appId, dryRun: 'true' })
  await rest('delete an app', 'DELETE /app', { appId })
  await rest('delete an app again', 'DELETE /app', { appId })
  await rest('read an app that was deleted', 'GET /app', { appId })
}
