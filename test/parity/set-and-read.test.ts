import { type GraphQLObjectType, isObjectType } from 'graphql'
import { afterAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { schema } from '../../src/api/graphql/schema.ts'
import type { WriteRoute } from '../../src/api/rest/protocol/route.ts'
import { routes } from '../../src/api/rest/routes.ts'

// What can be set can be read: every input field of every write is a field of the record that the write is about, in both
// APIs. test/parity/set-values.test.ts sets them and reads them back.

/** The record of what a write is about: the reads of REST that show it, and its types of GraphQL. The longest path counts. */
const RECORDS: Readonly<Record<string, { reads: string[]; types: string[] }>> = {
  '/source-inspection': { reads: ['getSourceInspection'], types: ['SourceInspection'] },
  '/app': { reads: ['getApp'], types: ['App'] },
  '/app/pull-request-envs': { reads: ['getPullRequestEnvs'], types: ['PullRequestEnvs'] },
  '/app-env': { reads: ['getAppEnv'], types: ['AppEnv'] },
  '/app-env/backup': { reads: ['listBackups'], types: ['Backup'] },
  '/app-env/host': { reads: ['getHost'], types: ['Host'] },
  '/app-env/job-run': { reads: ['getJobRun'], types: ['JobRun'] },
  '/app-env/job-schedule': { reads: ['getJobSchedule'], types: ['JobSchedule'] },
  '/app-env/auto-deploy': { reads: ['getAutoDeploy'], types: ['AutoDeploy'] },
  '/account': { reads: ['getAccount'], types: ['Account'] },
  '/account/budget': { reads: ['getBudget'], types: ['Budget'] },
  '/account/git-hook': { reads: ['getGitHook'], types: ['GitHook'] },
  '/account/invitation': { reads: ['getInvitation'], types: ['Invitation'] },
  '/account/member': { reads: ['getMember'], types: ['Member', 'User'] },
  '/account/webhook': { reads: ['getWebhook'], types: ['Webhook'] },
  '/credential': { reads: ['getCredential'], types: ['Credential'] },
  '/plan': { reads: ['listPlans'], types: ['Plan'] },
  '/region': { reads: ['listRegions', 'listRegionEngines'], types: ['Region', 'RegionEngine'] },
  '/solutions': { reads: ['getInstallation'], types: ['SolutionInstallation'] },
  '/token': { reads: ['getToken'], types: ['Token'] },
  '/volume': { reads: ['listVolumes'], types: ['Volume'] },
}

/** Where the record has another name for the field; `a.b` is `b` in the object `a`. */
const NAMED_OTHERWISE: Readonly<Record<string, string>> = {
  'createAppEnv.branch': 'gitBranch',
  'createAppEnv.containers': 'resources.containers',
  'createAppEnv.zClouds': 'resources.zClouds',
  'createAppEnv.cpu': 'resources.cpu',
  'createAppEnv.memory': 'resources.memory',
  'createAppEnv.disk': 'volume.disk',
  'createAppEnv.withPersistence': 'volume',
  'createAppEnv.volumeId': 'volume.volumeId',
  'changeResources.zClouds': 'resources.zClouds',
  'changeResources.cpu': 'resources.cpu',
  'changeResources.memory': 'resources.memory',
  'changeResources.disk': 'volume.disk',
  'changeScaling.containers': 'resources.containers',
  'changeHealthcheck.path': 'healthCheck.path',
  'changeHealthcheck.port': 'healthCheck.port',
  'changeHealthcheck.headers': 'healthCheck.headers',
  'changeHealthcheck.type': 'healthCheck.type',
  'changeHealthcheck.command': 'healthCheck.command',
  'changeHealthcheck.initialDelaySeconds': 'healthCheck.initialDelaySeconds',
  'changeHealthcheck.periodSeconds': 'healthCheck.periodSeconds',
  'changeHealthcheck.timeoutSeconds': 'healthCheck.timeoutSeconds',
  'changeHealthcheck.failureThreshold': 'healthCheck.failureThreshold',
  'changeHealthcheck.readiness': 'healthCheck.readiness',
  'changeHealthcheck.liveness': 'healthCheck.liveness',
  'changeHealthcheck.startup': 'healthCheck.startup',
  'setVariables.variables': 'envVars',
  'changeVariables.variables': 'envVars',
  'createJobRun.command': 'commandSnapshot.command',
  'createJobRun.args': 'commandSnapshot.args',
  'createJobRun.shell': 'commandSnapshot.shell',
  'createJobRun.workingDir': 'commandSnapshot.workingDir',
  'createJobRun.timeoutSeconds': 'commandSnapshot.timeoutSeconds',
  'createJobRun.envVars': 'commandSnapshot.envVars',
  'createWebhook.url': 'address',
  'createWebhook.recipients': 'address',
  'updateWebhook.url': 'address',
  'updateWebhook.recipients': 'address',
}

/** Names of GraphQL for a field of REST. */
const IN_GRAPHQL: Readonly<Record<string, string>> = {
  appType: 'type',
  envVars: 'variables',
  backupKey: 'id',
}

const SECRET = 'a secret, which is shown to nobody'
const ONE_OFF = 'says what this one call does; nothing of it is kept'
const TARGET = 'names what the call is about'

/** What is not kept as a field of the record, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'updateApp.applyImmediately': ONE_OFF,
  'updateAppEnv.applyImmediately': ONE_OFF,
  'changeResources.applyImmediately': ONE_OFF,
  'changeScaling.applyImmediately': ONE_OFF,
  'changeBranch.applyImmediately': ONE_OFF,
  'changeHealthcheck.applyImmediately': ONE_OFF,
  'renameAppEnv.applyImmediately': ONE_OFF,
  'setVariables.applyImmediately': ONE_OFF,
  'changeVariables.applyImmediately': ONE_OFF,
  'deleteVariable.applyImmediately': ONE_OFF,
  'createApp.appEnv': 'is an environment, which is read as such',
  'createAppEnv.deploy': ONE_OFF,
  'buildAppEnv.forceNewBuild': ONE_OFF,
  'buildAppEnv.isRebuild': ONE_OFF,
  'buildAppEnv.fromContentId': ONE_OFF,
  'deployImage.image': 'is the image of a version: deployments, and containerImage of the status, have it',
  'redeployAppEnv.contentId': ONE_OFF,
  'promoteDeployment.fromAppEnvId': 'is in promotedFrom of the version',
  'rollbackAppEnv.targetContentId': ONE_OFF,
  'restoreBackup.backupFirst': ONE_OFF,
  'restoreBackup.pointInTime': ONE_OFF,
  'requestStorageKey.fileExtension': ONE_OFF,
  'createExec.command': ONE_OFF,
  'createExec.terminal': ONE_OFF,
  'createExec.columns': ONE_OFF,
  'createExec.rows': ONE_OFF,
  'createExec.podId': ONE_OFF,
  'createTunnel.port': ONE_OFF,
  'createTunnel.podId': ONE_OFF,
  'notifyCodeUpload.storageKey': ONE_OFF,
  'createJobRun.stdin': 'may hold secrets, and is given to the run alone',
  'deleteCredential.force': ONE_OFF,
  'rotateToken.graceSeconds': 'the answer says until when, in previousUntil; the record belongs to the new secret',
  'createAccount.registryServer': 'becomes a credential of its own',
  'createAccount.registryUsername': 'becomes a credential of its own',
  'createAccount.registryPassword': SECRET,
  'createAccount.registryEmail': 'registries do not use it any more',
  'createGitHook.statusToken': SECRET,
  'updateGitHook.statusToken': SECRET,
  'acceptInvitation.secret': SECRET,
  'inspectSource.accountId': TARGET,
  'inspectSource.gitRepo': 'is part of url',
  'inspectSource.gitNamespace': 'is part of url',
  'inspectSource.gitInstallationId': 'is shown with each app that uses it',
  'connectGitInstallation.proof': SECRET,
  'connectGitInstallation.accountId': TARGET,
  'connectGitInstallation.gitInstallationId': 'is shown with each app that uses it',
  'addMember.accountId': TARGET,
  'transferAccount.userId': TARGET,
  'transferAccount.roles': 'are those of a member',
  'installSolution.inputs': 'become variables of the components, and may hold secrets',
  'upgradeInstallation.inputs': 'become variables of the components, and may hold secrets',
  'installCompose.compose': 'becomes apps and environments, which are read as such',
  'installCompose.gitRepo': 'is that of each app that is built',
  'installCompose.gitNamespace': 'is that of each app that is built',
  'installCompose.gitInstallationId': 'is that of each app that is built',
  'installCompose.branch': 'is that of each environment that is built',
  'installCompose.composeDir': 'is part of the context folder of each app that is built',
  'installCompose.variables': 'become variables of the components, and may hold secrets',
}

/** Ids of what a call is about, or a name in place of the id. */
const isTarget = ({ path, method, command }: WriteRoute, field: string): boolean => {
  if (field === 'envName') return true
  const isNew =
    command.name.startsWith('create') || command.name.startsWith('add') || command.name.startsWith('install')
  return (
    !isNew &&
    (/Id$|^backupKey$/.test(field) || (method === 'DELETE' && ['host', 'name'].includes(field))) &&
    path !== ''
  )
}

const recordOf = (path: string) => {
  const [known] = Object.keys(RECORDS)
    .filter((prefix) => path === prefix || path.startsWith(`${prefix}/`) || path === `${prefix}s`)
    .sort((one, other) => other.length - one.length)
  return known === undefined ? undefined : RECORDS[known]
}

type Shape = Readonly<Record<string, z.ZodType>>

/** The fields of an object or of the items of a list, under whatever wraps it; none for another type. */
function shapeOf(type: z.ZodType | undefined): Shape {
  if (!type) return {}
  const { innerType, element, shape } = type._zod.def as { innerType?: z.ZodType; element?: z.ZodType; shape?: Shape }
  return shape ?? shapeOf(innerType ?? element)
}

const restShapes = (read: string): Shape[] => {
  const route = routes.find((one) => 'read' in one && one.read.name === read)
  if (!route || !('read' in route)) throw new Error(`No read ${read}`)
  const own = route.read.answer.shape as Shape
  // A list shows its items.
  const items = read.startsWith('list') ? Object.values(own).map(shapeOf) : []
  return [own, ...items]
}

function isInRest(reads: readonly string[], field: string): boolean {
  const [name = '', inner] = field.split('.')
  return reads
    .flatMap(restShapes)
    .some((shape) => name in shape && (inner === undefined || inner in shapeOf(shape[name])))
}

function isInGraphQL(types: readonly string[], field: string): boolean {
  const [name = ''] = field.split('.')
  const idless = name.replace(/Id$/, '')
  return types.some((typeName) => {
    const type = schema.getType(typeName)
    if (!isObjectType(type)) throw new Error(`GraphQL has no type ${typeName}`)
    const fields = (type as GraphQLObjectType).getFields()
    const names = [name, IN_GRAPHQL[name] ?? name, ...(name.endsWith('Id') ? [idless, 'id'] : [])]
    // The code of a plan or region is its own name.
    if (typeName.toLowerCase() === name) names.push('code')
    return names.some((one) => one in fields)
  })
}

const writes = routes.filter((route): route is WriteRoute => 'command' in route)
const cells = [
  ...new Map(
    writes.flatMap((route) =>
      Object.keys(route.command.input.shape).map(
        (field) => [`${route.command.name}.${field}`, { route, field }] as const,
      ),
    ),
  ),
]

afterAll(() => console.info(`What can be set can be read: ${cells.length} input fields of ${writes.length} writes`))

describe('an input field', () => {
  test.each(cells)('%s is read in both APIs, or is an exception with its reason', (key, { route, field }) => {
    if (EXCEPTIONS[key] !== undefined || isTarget(route, field)) return
    const record = recordOf(route.path)
    expect(record, `the record that ${route.method} ${route.path} changes`).toBeDefined()
    const { reads, types } = record as { reads: string[]; types: string[] }
    const name = NAMED_OTHERWISE[key] ?? field
    expect({ rest: isInRest(reads, name), graphql: isInGraphQL(types, name) }).toEqual({ rest: true, graphql: true })
  })
})

test('every exception and every other name is that of an input field', () => {
  const known = new Set<string>(cells.map(([key]) => key))
  expect([...Object.keys(EXCEPTIONS), ...Object.keys(NAMED_OTHERWISE)].filter((key) => !known.has(key))).toEqual([])
})
