import type { Fixture } from './fixture.ts'
import { UNKNOWN } from './fixture.ts'

/** Environments: creating, reading, replacing and deleting them. */
export async function restAppEnvs(fixture: Fixture): Promise<void> {
  const appId = await fixture.app()
  const appEnvId = await createAppEnvs(fixture, appId)
  await readAppEnvs(fixture, appId, appEnvId)
  await replaceSettings(fixture, appEnvId)
  await deleteAppEnvs(fixture, appEnvId)
}

/** Single settings of an environment, and its variables. */
export async function restSettings(fixture: Fixture): Promise<void> {
  const appId = await fixture.app()
  await fixture.appEnv(appId, { name: 'Staging 1' })
  const envVars = [
    { name: 'HOST', value: 'shop.test' },
    { name: 'URL', value: `http://\${HOST}`, type: 'BOTH' },
    { name: 'KEY', value: 'hush', isSecret: true },
  ]
  const appEnvId = await fixture.appEnv(appId, { envVars, volume: { path: '/data', disk: 100 } })
  await changeSettings(fixture, appEnvId)
  await changeVariables(fixture, appEnvId)
}

async function createAppEnvs({ rest, accountId, elsewhere }: Fixture, appId: string): Promise<string> {
  const production = { accountId, appId, name: 'production', region: 'local' }
  const { body } = await rest('create an environment with everything', 'POST /app-env', {
    ...production,
    branch: 'main',
    zClouds: 2,
    containers: 2,
    volume: { path: '/data', disk: 100 },
    envVars: [
      { name: 'HOST', value: 'shop.test' },
      { name: 'URL', value: `http://\${HOST}`, type: 'BOTH' },
      { name: 'KEY', value: 'hush', isSecret: true },
    ],
    startupConfig: { command: 'node', args: ['server.js'], shell: false, workingDir: '/app' },
  })
  await rest('create an environment with little', 'POST /app-env', { ...production, name: 'Staging 1' })
  await rest('create an environment of a name that is taken', 'POST /app-env', production)
  await rest(
    'create an environment, dry',
    'POST /app-env',
    { ...production, name: 'dry' },
    { query: { dryRun: 'true' } },
  )
  await rest('create an environment beyond the plan', 'POST /app-env', {
    ...production,
    name: 'big',
    containers: 1_000,
    zClouds: 3,
  })
  await rest('create an environment with a bad variable', 'POST /app-env', {
    ...production,
    name: 'bad',
    envVars: [
      { name: 'KEY=1', value: '' },
      { name: 'A', value: `\${NOBODY}` },
      { name: 'A', value: '' },
    ],
  })
  await rest('create an environment in an unknown region', 'POST /app-env', {
    ...production,
    name: 'x',
    region: 'moon',
  })
  await rest('create an environment in another account', 'POST /app-env', { ...production, accountId: elsewhere })
  await rest('create an environment of an unknown app', 'POST /app-env', { ...production, appId: `app_${UNKNOWN}` })
  await rest('create an environment as a reader', 'POST /app-env', production, { as: 'reader' })
  return body.appEnvId
}

async function readAppEnvs({ rest, app, appEnv }: Fixture, appId: string, appEnvId: string): Promise<void> {
  const { headers } = await rest('read an environment', 'GET /app-env', { appEnvId })
  const known = { headers: { 'if-none-match': headers.get('etag') ?? '' } }
  await rest('read an environment that has not changed', 'GET /app-env', { appEnvId }, known)
  await rest('read an environment by its CLI name', 'GET /app-env', { envName: 'default-shop-staging-1' })
  await rest('read an unknown environment', 'GET /app-env', { appEnvId: `env_${UNKNOWN}` })
  await rest('read an environment by an unknown CLI name', 'GET /app-env', { envName: 'default-shop-nowhere' })
  await rest('read no environment', 'GET /app-env')
  await rest('read an environment of others', 'GET /app-env', { appEnvId }, { as: 'stranger' })
  await appEnv(await app({ name: 'Other' }))
  const { body } = await rest('list environments, first page', 'GET /app-envs', { limit: '1' })
  await rest('list environments, second page', 'GET /app-envs', { limit: '2', cursor: body.nextCursor })
  await rest('list environments of an app', 'GET /app-envs', { appId })
  await rest('list environments of an unknown app', 'GET /app-envs', { appId: `app_${UNKNOWN}` })
  await rest('list environments of others', 'GET /app-envs', { appId }, { as: 'stranger' })
  await rest('read the status of an environment', 'GET /app-env/status', { appEnvId })
  await rest('read the status of an unknown environment', 'GET /app-env/status', { appEnvId: `env_${UNKNOWN}` })
  await rest('read the token of an environment', 'GET /app-env/token', { appEnvId })
  await rest('read the token of an unknown environment', 'GET /app-env/token', { appEnvId: `env_${UNKNOWN}` })
}

async function changeSettings({ rest, deploy }: Fixture, appEnvId: string): Promise<void> {
  const probe = { path: '/live', periodSeconds: 5 }
  await rest('change the size', 'PATCH /app-env/resources', { appEnvId, zClouds: 1 })
  await rest('change the size in cpu and memory', 'PATCH /app-env/resources', { appEnvId, cpu: 0.5, memory: 256 })
  await rest('change the size with cpu alone', 'PATCH /app-env/resources', { appEnvId, cpu: 1 })
  await rest('change the size both ways', 'PATCH /app-env/resources', { appEnvId, zClouds: 1, cpu: 1, memory: 512 })
  await rest('change the size of the volume', 'PATCH /app-env/resources', { appEnvId, disk: 200 })
  await rest('scale to three', 'PATCH /app-env/scaling', { appEnvId, containers: 3 })
  await rest('scale by the load', 'PATCH /app-env/scaling', { appEnvId, autoScaling: { max: 4, cpuPercent: 50 } })
  await rest('scale beyond the plan', 'PATCH /app-env/scaling', { appEnvId, containers: 100_000 })
  await rest('scale by a load that makes no sense', 'PATCH /app-env/scaling', {
    appEnvId,
    autoScaling: { min: 4, max: 2 },
  })
  await rest('scale by the load no more', 'PATCH /app-env/scaling', { appEnvId, autoScaling: null })
  await rest('change the branch', 'PATCH /app-env/branch', { appEnvId, gitBranch: 'feature/checkout' })
  await rest('change the branch to an option', 'PATCH /app-env/branch', { appEnvId, gitBranch: '--upload-pack=x' })
  await rest('change the health check', 'PATCH /app-env/healthcheck', {
    appEnvId,
    path: '/ok',
    port: 9000,
    headers: { 'X-A': '1' },
    readiness: probe,
    liveness: probe,
    startup: null,
  })
  await rest('change the health check to no path', 'PATCH /app-env/healthcheck', { appEnvId, path: 'ok' })
  await rest('rename an environment', 'PATCH /app-env/name', { appEnvId, name: 'Main' })
  await rest('rename an environment to a name that is taken', 'PATCH /app-env/name', { appEnvId, name: 'Staging 1' })
  await rest(
    'rename an environment at an old version',
    'PATCH /app-env/name',
    { appEnvId, name: 'Old' },
    {
      headers: { 'if-match': '"v1"' },
    },
  )
  await rest(
    'rename an environment, dry',
    'PATCH /app-env/name',
    { appEnvId, name: 'Dry' },
    { query: { dryRun: 'true' } },
  )
  await rest('change the size and apply it before the first deployment', 'PATCH /app-env/resources', {
    appEnvId,
    zClouds: 4,
    applyImmediately: true,
  })
  await deploy(appEnvId)
  await rest('scale what runs', 'PATCH /app-env/scaling', { appEnvId, containers: 4 })
  await rest('change the size of what runs', 'PATCH /app-env/resources', { appEnvId, zClouds: 2 })
  await rest('read what is pending', 'GET /app-env/status', { appEnvId })
  await rest('read an environment with pending changes', 'GET /app-env', { appEnvId })
  await rest('scale as a reader', 'PATCH /app-env/scaling', { appEnvId, containers: 1 }, { as: 'reader' })
}

async function changeVariables({ rest }: Fixture, appEnvId: string): Promise<void> {
  await rest('read variables', 'GET /app-env/variables', { appEnvId })
  await rest('read variables with secrets', 'GET /app-env/variables', { appEnvId, showSecrets: 'true' })
  await rest(
    'read secrets as TECHNICAL',
    'GET /app-env/variables',
    { appEnvId, showSecrets: 'true' },
    { as: 'technical' },
  )
  await rest('read variables of an unknown environment', 'GET /app-env/variables', { appEnvId: `env_${UNKNOWN}` })
  const change = (variables: object[]) => ({ appEnvId, variables })
  await rest('add and change variables', 'PATCH /app-env/variables', {
    ...change([
      { name: 'A', value: '1', type: 'BUILD' },
      { name: 'KEY', type: 'BOTH' },
    ]),
  })
  await rest('add a variable without a value', 'PATCH /app-env/variables', change([{ name: 'B' }]))
  await rest('show a secret', 'PATCH /app-env/variables', change([{ name: 'KEY', isSecret: false }]))
  await rest('replace variables', 'PUT /app-env/variables', {
    ...change([
      { name: 'HOST', value: 'shop.example' },
      { name: 'URL', value: `https://\${HOST}` },
      { name: 'KEY', value: '***SECRET***', isSecret: true },
    ]),
  })
  await rest('replace variables by a circle', 'PUT /app-env/variables', change([{ name: 'A', value: `\${A}` }]))
  await rest('replace variables, dry', 'PUT /app-env/variables', change([]), { query: { dryRun: 'true' } })
  await rest('replace variables as a reader', 'PUT /app-env/variables', change([]), { as: 'reader' })
  await rest('delete a variable', 'DELETE /app-env/variables', { appEnvId, name: 'URL', applyImmediately: 'true' })
  await rest('delete a variable that is not there', 'DELETE /app-env/variables', { appEnvId, name: 'NOBODY' })
}

async function replaceSettings({ rest, deploy }: Fixture, appEnvId: string): Promise<void> {
  await deploy(appEnvId)
  await rest('update an environment', 'PUT /app-env', {
    appEnvId,
    name: 'Main 2',
    startupConfig: null,
    allowUserCliToken: false,
    preventDestroy: true,
    envVars: [{ name: 'ONE', value: '1' }],
  })
  await rest('update an environment and apply it', 'PUT /app-env', {
    appEnvId,
    envVars: [],
    applyImmediately: true,
  })
  await rest(
    'update an environment at an old version',
    'PUT /app-env',
    { appEnvId, name: 'Old' },
    {
      headers: { 'if-match': '"v1"' },
    },
  )
  await rest('update a job configuration of no job', 'PUT /app-env', { appEnvId, jobConfig: { command: 'migrate' } })
  await rest('update a volume over /proc', 'PUT /app-env', { appEnvId, volume: { path: '/proc/x', disk: 1 } })
  await rest('update no environment', 'PUT /app-env', { name: 'Main' })
  await rest('update an unknown environment', 'PUT /app-env', { appEnvId: `env_${UNKNOWN}`, name: 'Main' })
}

async function deleteAppEnvs({ rest }: Fixture, appEnvId: string): Promise<void> {
  await rest('delete an environment that is protected', 'DELETE /app-env', { appEnvId })
  const envName = 'default-shop-staging-1'
  await rest('delete an environment as TECHNICAL', 'DELETE /app-env', { envName }, { as: 'technical' })
  await rest('delete an environment, dry', 'DELETE /app-env', { envName, dryRun: 'true' })
  const once = { headers: { 'idempotency-key': 'delete' } }
  await rest('delete an environment', 'DELETE /app-env', { envName }, once)
  await rest('delete an environment with the same key', 'DELETE /app-env', { envName }, once)
  await rest('delete an environment that is gone', 'DELETE /app-env', { envName })
}
