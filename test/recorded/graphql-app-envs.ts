import { wholeField } from '../parity/whole-field.ts'
import type { Fixture } from './fixture.ts'
import { UNKNOWN } from './fixture.ts'
import { entriesOf, mutation } from './fragments.ts'

/** Environments: creating, reading, updating and deleting them. */
export async function graphqlAppEnvs(fixture: Fixture): Promise<void> {
  const appId = await fixture.app()
  const appEnvId = await createAppEnvs(fixture, appId)
  await readAppEnvs(fixture, appId, appEnvId)
  await updateAndDelete(fixture, appEnvId)
}

/** Single settings of an environment, and its variables. */
export async function graphqlSettings(fixture: Fixture): Promise<void> {
  const appId = await fixture.app()
  await fixture.appEnv(appId, { name: 'Staging' })
  const envVars = [{ name: 'KEY', value: 'hush', isSecret: true }]
  const appEnvId = await fixture.appEnv(appId, { envVars, volume: { path: '/data', disk: 100 } })
  await changeSettings(fixture, appEnvId)
  await changeVariables(fixture, appEnvId)
}

const CREATE = mutation('createAppEnv', 'appEnv { ...AppEnv }')

async function createAppEnvs({ graphql, accountId }: Fixture, appId: string): Promise<string> {
  const production = { accountId, appId, name: 'production', region: 'local' }
  const { body } = await graphql('create an environment', CREATE, {
    input: {
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
    },
  })
  await graphql('create an environment of a name that is taken', CREATE, { input: production })
  await graphql('create an environment, dry', CREATE, { input: { ...production, name: 'dry', dryRun: true } })
  await graphql('create an environment in an unknown region', CREATE, {
    input: { ...production, name: 'x', region: 'moon' },
  })
  await graphql('create an environment as a reader', CREATE, { input: production }, { as: 'reader' })
  return body.data.createAppEnv.appEnv.id
}

async function readAppEnvs({ graphql, appEnv }: Fixture, appId: string, appEnvId: string): Promise<void> {
  const staging = await appEnv(appId, { name: 'Staging' })
  const one = 'query ($id: ID, $envName: String) { appEnv(id: $id, envName: $envName) { ...AppEnvBriefly cliEnvName } }'
  await graphql('read an environment by its CLI name', one, { envName: 'default-shop-production' })
  await graphql('read no environment', one)
  await graphql('read an unknown environment', one, { id: `env_${UNKNOWN}` })
  await graphql('read an environment of others', one, { id: appEnvId }, { as: 'stranger' })
  const parts = 'query ($id: ID) { appEnv(id: $id) { variables { id } hosts { id } } }'
  const { variables, hosts } = (await graphql('read ids of parts', parts, { id: appEnvId })).body.data.appEnv
  const variable = 'query ($id: ID!) { variable(id: $id) { ...Variable } }'
  await graphql('read a variable', variable, { id: variables[0].id })
  await graphql('read an unknown variable', variable, { id: `var_${UNKNOWN}` })
  const host = 'query ($id: ID!) { host(id: $id) { ...Host } }'
  await graphql('read a host', host, { id: hosts[0].id })
  await graphql('read an unknown host', host, { id: `host_${UNKNOWN}` })
  const secrets = 'query ($id: ID) { appEnv(id: $id) { variables(reveal: true) { ...Variable } } }'
  await graphql('read secrets', secrets, { id: appEnvId })
  await graphql('read secrets as TECHNICAL', secrets, { id: appEnvId }, { as: 'technical' })
  const page = `query ($first: Int, $after: String, $appId: ID, $accountId: ID) {
    appEnvs(first: $first, after: $after, appId: $appId, accountId: $accountId) {
      nodes { ...AppEnvBriefly } edges { cursor } pageInfo { ...Page } } }`
  const { body } = await graphql('list environments, first page', page, { appId, first: 1 })
  await graphql('list environments, second page', page, { first: 1, after: body.data.appEnvs.pageInfo.endCursor })
  await graphql('list environments of an unknown app', page, { appId: `app_${UNKNOWN}` })
  await graphql('read an environment as a node', 'query ($id: ID!) { node(id: $id) { ... on AppEnv { ...AppEnv } } }', {
    id: staging,
  })
  const token =
    'query ($appEnvId: ID) { appEnvToken(appEnvId: $appEnvId) { tokenId appEnvId cliEnvName name allowUserCliToken } }'
  await graphql('read the token of an environment', token, { appEnvId })
  await graphql('read the token of an unknown environment', token, { appEnvId: `env_${UNKNOWN}` })
}

const CHANGED = `success message appliedImmediately notAppliedReason operation { ...OperationBriefly }
  appEnv { ...AppEnvBriefly gitBranch ${wholeField('AppEnv', 'healthCheck')} ${wholeField('AppEnv', 'autoScaling')} resources { containers zClouds cpu memory } volume { disk } }`

async function changeSettings({ graphql, deploy }: Fixture, appEnvId: string): Promise<void> {
  const change = (title: string, name: string, input: Record<string, unknown>, as?: string) =>
    graphql(title, mutation(name, CHANGED), { input: { appEnvId, ...input } }, as ? { as } : {})
  await change('change the size', 'changeResources', { cpu: 0.5, memory: 256, disk: 200 })
  await change('change the size with cpu alone', 'changeResources', { cpu: 1 })
  await change('scale by the load', 'changeScaling', { autoScaling: { max: 4, cpuPercent: 50 } })
  await change('scale beyond the plan', 'changeScaling', { containers: 100_000 })
  await change('change the branch', 'changeBranch', { gitBranch: 'feature/checkout' })
  await change('change the branch to an option', 'changeBranch', { gitBranch: '--upload-pack=x' })
  const probe = { path: '/live', periodSeconds: 5, headers: entriesOf({ 'X-A': '1' }) }
  await change('change the health check', 'changeHealthcheck', { path: '/ok', readiness: probe, liveness: probe })
  await change('change the health check to nothing', 'changeHealthcheck', {})
  await change('rename an environment', 'renameAppEnv', { name: 'Main' })
  await change('rename an environment to a name that is taken', 'renameAppEnv', { name: 'Staging' })
  await change('rename an environment at an old version', 'renameAppEnv', { name: 'Old', expectedVersion: 1 })
  await change('rename an environment, dry', 'renameAppEnv', { name: 'Dry', dryRun: true })
  await deploy(appEnvId)
  await change('scale what runs', 'changeScaling', { containers: 3, autoScaling: null })
  await change('change the size of what runs and apply it', 'changeResources', { zClouds: 4, applyImmediately: true })
  await change('scale as a reader', 'changeScaling', { containers: 1 }, 'reader')
  const pending = 'query ($id: ID) { appEnv(id: $id) { pendingChanges { ...PendingChanges } } }'
  await graphql('read what is pending', pending, { id: appEnvId })
}

const VARIABLES = `appliedImmediately notAppliedReason variables { ...Variable } operation { ...OperationBriefly }
  appEnv { version }`

async function changeVariables({ graphql }: Fixture, appEnvId: string): Promise<void> {
  const change = (title: string, name: string, input: Record<string, unknown>, as?: string) =>
    graphql(title, mutation(name, VARIABLES), { input: { appEnvId, ...input } }, as ? { as } : {})
  await change('add and change variables', 'changeVariables', {
    variables: [
      { name: 'A', value: '1', type: 'BUILD' },
      { name: 'KEY', type: 'BOTH' },
    ],
  })
  await change('show a secret', 'changeVariables', { variables: [{ name: 'KEY', isSecret: false }] })
  await change('replace variables', 'setVariables', { variables: [{ name: 'ONE', value: '1', isSecret: true }] })
  await change('replace variables by a circle', 'setVariables', { variables: [{ name: 'A', value: `\${A}` }] })
  await change('replace variables as a reader', 'setVariables', { variables: [] }, 'reader')
  await change('delete a variable, dry', 'deleteVariable', { name: 'ONE', dryRun: true })
  await change('delete a variable', 'deleteVariable', { name: 'ONE', applyImmediately: true })
  await change('delete a variable that is not there', 'deleteVariable', { name: 'ONE' })
}

async function updateAndDelete({ graphql }: Fixture, appEnvId: string): Promise<void> {
  const update = mutation('updateAppEnv', 'appliedImmediately notAppliedReason operation { id } appEnv { ...AppEnv }')
  await graphql('update an environment', update, {
    input: {
      appEnvId,
      name: 'Main 2',
      startupConfig: null,
      envVars: [{ name: 'ONE', value: '1' }],
      preventDestroy: true,
    },
  })
  await graphql('update a job configuration of no job', update, {
    input: { appEnvId, jobConfig: { command: 'migrate' } },
  })
  await graphql('update an unknown environment', update, { input: { appEnvId: `env_${UNKNOWN}`, name: 'Main' } })
  const remove = mutation('deleteAppEnv', 'message operation { ...Operation }')
  await graphql('delete an environment that is protected', remove, { input: { appEnvId } })
  const envName = 'default-shop-staging'
  await graphql('delete an environment as TECHNICAL', remove, { input: { envName } }, { as: 'technical' })
  await graphql('delete an environment, dry', remove, { input: { envName, dryRun: true } })
  await graphql('delete an environment', remove, { input: { envName } })
  await graphql('delete an environment that is gone', remove, { input: { envName } })
}
