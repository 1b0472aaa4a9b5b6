import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../../src/api/rest/routes.ts'
import type { AnyCommand } from '../../src/calls/command.ts'
import type { DomainError } from '../../src/domain/errors.ts'
import { newId } from '../../src/domain/ids.ts'
import { createInvitation } from '../../src/services/account/invitation-commands.ts'
import { addMember, removeMember, updateMember } from '../../src/services/account/member-commands.ts'
import { transferAccount } from '../../src/services/account/own-membership-commands.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { createCredential } from '../../src/services/credential/credential-commands.ts'
import { createGitHook } from '../../src/services/git-hook/git-hook-commands.ts'
import { addHost, removeHost, validateHost } from '../../src/services/host/host-commands.ts'
import { backUpAppEnv } from '../../src/services/lifecycle/back-up.ts'
import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { promoteDeployment } from '../../src/services/lifecycle/promote.ts'
import { redeployAppEnv } from '../../src/services/lifecycle/redeploy.ts'
import { restoreBackup } from '../../src/services/lifecycle/restore-backup.ts'
import { rollbackAppEnv } from '../../src/services/lifecycle/rollback.ts'
import { verifyBackup } from '../../src/services/lifecycle/verify-backup.ts'
import { setPullRequestEnvs } from '../../src/services/pull-request-envs/pull-request-envs-commands.ts'
import { createExec, createTunnel } from '../../src/services/remote-session/remote-session-commands.ts'
import { notifyCodeUpload } from '../../src/services/upload/notify-code-upload.ts'
import { requestStorageKey } from '../../src/services/upload/request-storage-key.ts'
import type { Prisma } from '../../src/storage/database/generated/prisma/client.ts'
import { createWorld, type World } from '../support/world.ts'
import { refusalOf } from './refusal-of.ts'

type Kind =
  /** What the call is about: matrix.test.ts asks for the permission of each. */
  | 'target'
  /** The same for every caller, such as a region. */
  | 'catalogue'
  /** Names nothing of Berth’s. Addresses of other machines are in test/network/addresses. */
  | 'text'
  /** What it holds may refer to environments: references.test.ts. */
  | 'reference'
  /** Something else than the target: here. */
  | 'named'

const fields = (kind: Kind, names: string): [string, Kind][] => names.split(/\s+/).map((name) => [name, kind])

/** Every text that a command takes, by its path in the input. */
const CLASSIFIED: ReadonlyMap<string, Kind> = new Map([
  ...fields(
    'target',
    `accountId appEnvId envName appId authorizationId credentialId deliveryId gitHookId installationId invitationId jobRunId
     operationId tokenId webhookId secret`,
  ),
  ...fields('catalogue', 'region plan solutionSlug dockerPresetVersion'),
  ...fields(
    'text',
    `amount appName args[] backupSchedule.cron backupSchedule.timeZone branch buildArgs buildTarget command command[] compose composeDir
     containerSettings.dropCapabilities[] containerSettings.hostname containerSettings.stopSignal
     containerSettings.tmpfs[].path containerSettings.ulimits[].name containerSettings.user containerSettings.workingDir
     contextDir cron customDockerfileContent data.* databaseSettings.* dockerfilePath domain email engine envVars[].name expiresAt
     externalAccess.allowedCidrs[] fileExtension gitBranch gitNamespace gitRepo headers.* healthCheck.command[]
     healthCheck.headers.* healthCheck.liveness.command[] healthCheck.liveness.headers.* healthCheck.liveness.path
     healthCheck.path healthCheck.readiness.command[] healthCheck.readiness.headers.* healthCheck.readiness.path
     healthCheck.startup.command[] healthCheck.startup.headers.* healthCheck.startup.path healthCheckHeaders.*
     healthCheckPath image jobConfig.args[] jobConfig.command jobConfig.workingDir labels.* liveness.command[] liveness.headers.*
     liveness.path name path pointInTime proof.code proof.userToken reachAddress readiness.command[] readiness.headers.* readiness.path recipients[]
     registryEmail registryPassword registryServer registryUsername releaseCommand.args[] releaseCommand.command
     releaseCommand.workingDir startup.command[] startup.headers.* startup.path startupConfig.args[] startupConfig.command
     startupConfig.workingDir statusApiUrl statusToken stdin targetBranches[] timeZone url variables[].name
     volume.path volumePath watchPaths[] workingDir`,
  ),
  ...fields('reference', 'envVars[].value variables[].value inputs.* variables.*'),
  ...fields(
    'named',
    `appEnvIds[] fromAppEnvId backupKey backupSchedule.storage baseAppEnvId buildPullAccountSecretId contentId fromContentId
     gitInstallationId host hostId imagePullAccountSecretId podId storage storageKey targetContentId userId volumeId`,
  ),
])

type Shape = {
  type?: string
  enum?: unknown[]
  const?: unknown
  items?: Shape
  properties?: Record<string, Shape>
  additionalProperties?: Shape | boolean
  anyOf?: Shape[]
  oneOf?: Shape[]
  allOf?: Shape[]
}

/** Paths of the free texts in an input. */
function textsOf(shape: Shape, path = ''): string[] {
  const { type, items, properties = {}, additionalProperties: more, anyOf = [], oneOf = [], allOf = [] } = shape
  return [
    ...(type === 'string' && !shape.enum && shape.const === undefined ? [path] : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((one) => textsOf(one, path)),
    ...(items ? textsOf(items, `${path}[]`) : []),
    ...(typeof more === 'object' ? textsOf(more, `${path}.*`) : []),
    ...Object.entries(properties).flatMap(([name, one]) => textsOf(one, path ? `${path}.${name}` : name)),
  ]
}

const commands: ReadonlyMap<string, AnyCommand> = new Map(
  routes.flatMap((route) => ('read' in route ? [] : [[route.command.name, route.command as AnyCommand] as const])),
)

/** Field and command of every text that names something else than the target. */
const taken = [...commands].flatMap(([name, { input }]) => {
  const shape = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Shape
  // The first environment of an app is created by the code of createAppEnv, which takes the same.
  const own = textsOf(shape).filter((field) => !field.startsWith('appEnv.'))
  return [...new Set(own)].map((field) => ({ field, command: name }))
})

test('every text that a command takes is classified, and no other is', () => {
  const found = [...new Set(taken.map(({ field }) => field))].toSorted()
  expect(found).toEqual([...CLASSIFIED.keys()].toSorted())
})

let world: World
let ours: Place
let theirs: Place

interface Place {
  accountId: string
  app: { appId: string; appEnvId: string }
  built: { appId: string; appEnvId: string }
  service: { appId: string; appEnvId: string }
  /** What a field may name, by the field. */
  things: Readonly<Record<string, string>>
}

const end = async (made: unknown) => world.endOperation((made as { operationId: string }).operationId)

async function place(accountId: string, host: string): Promise<Place> {
  const { database, perform } = world
  const app = await world.appEnv({ accountId, app: { accountId } })
  await end(await perform(deployImage, { appEnvId: app.appEnvId, image: 'nginx:1' }))
  const source = { useImage: false, image: undefined, accountId }
  const built = await world.appEnv({
    accountId,
    app: { ...source, gitRepo: 'https://git.example.com/a/b.git' },
    branch: 'main',
  })
  const uploaded = await world.appEnv({ accountId, app: { ...source, isCliDeployment: true } })
  const { appId } = await perform(createApp, { name: 'Db', accountId, dockerPreset: 'POSTGRESQL' })
  const made = await perform(createAppEnv, { accountId, appId, name: 'production', region: 'local' })
  await end(made)
  const service = { appId: String(appId), appEnvId: String(made.appEnvId) }
  const { cliEnvName, presetVersion } = await database.appEnv.findUniqueOrThrow({ where: { id: service.appEnvId } })
  const backup: Prisma.BackupUncheckedCreateInput = {
    id: newId('bak'),
    accountId,
    appEnvId: service.appEnvId,
    cliEnvName,
    presetVersion: presetVersion ?? '',
    operationId: newId('op'),
    kind: 'MANUAL',
    status: 'AVAILABLE',
    file: 'a',
    sizeBytes: 1n,
  }
  await database.backup.create({ data: backup })
  const registry = await perform(createCredential, {
    accountId,
    name: `registry ${host}`,
    type: 'CONTAINER_REGISTRY',
    data: { registry: 'registry.invalid', username: 'a', password: 'b' },
  })
  const bucket = await perform(createCredential, {
    accountId,
    name: `bucket ${host}`,
    type: 'OBJECT_STORAGE',
    data: { endpoint: 'https://s3.example.com', bucket: 'a', accessKeyId: 'a', secretAccessKey: 'b' },
  })
  const added = await perform(addHost, { appEnvId: app.appEnvId, host })
  const { storageKey } = await perform(requestStorageKey, { appEnvId: uploaded.appEnvId })
  const { userId } = await world.user({ accountId, roles: ['ADMIN'] })
  const podId = `pod of ${host}`
  await database.replica.updateMany({ where: { appEnvId: String(app.appEnvId) }, data: { containerId: podId } })
  const content = await database.content.findFirstOrThrow({ where: { appEnvId: String(app.appEnvId) } })
  const volume = await database.volume.findFirstOrThrow({ where: { accountId } })
  const credential = String(registry.credentialId)
  return {
    accountId,
    app: { appId: app.appId, appEnvId: String(app.appEnvId) },
    built: { appId: built.appId, appEnvId: String(built.appEnvId) },
    service,
    things: {
      'appEnvIds[]': String(app.appEnvId),
      baseAppEnvId: String(built.appEnvId),
      fromAppEnvId: String(app.appEnvId),
      backupKey: backup.id,
      userId,
      imagePullAccountSecretId: credential,
      buildPullAccountSecretId: credential,
      storage: String(bucket.credentialId),
      'backupSchedule.storage': String(bucket.credentialId),
      contentId: content.id,
      fromContentId: content.id,
      targetContentId: content.id,
      volumeId: volume.id,
      hostId: String(added.hostId),
      host,
      storageKey,
      appId: app.appId,
      podId,
    },
  }
}

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_OPERATION_RATE_LIMIT: '1000000' } })
  ours = await place(await world.account(), 'ours.example.com')
  theirs = await place(await world.account(), 'theirs.example.com')
})
afterAll(() => world?.close())

/** A call of ours that names a thing. */
type NamingCall = (id: string) => [AnyCommand, object]

const application = () => ({ accountId: ours.accountId, name: 'Another', port: 80, useImage: true, image: 'nginx:1' })
const CALLS: Readonly<Record<string, Readonly<Record<string, NamingCall>>>> = {
  'appEnvIds[]': {
    addMember: (id) => [addMember, { ...people(), email: 'a@example.com', appEnvIds: [id] }],
    updateMember: (id) => [updateMember, { ...people(), userId: ours.things.userId, appEnvIds: [id] }],
    createInvitation: (id) => [createInvitation, { ...people(), email: 'b@example.com', appEnvIds: [id] }],
  },
  // Beside the account, which is the target.
  appId: {
    createGitHook: (id) => [createGitHook, { accountId: ours.accountId, appId: id, provider: 'GITHUB', name: 'hook' }],
  },
  backupKey: {
    restoreBackup: (id) => [restoreBackup, { appEnvId: ours.service.appEnvId, backupKey: id }],
    verifyBackup: (id) => [verifyBackup, { appEnvId: ours.service.appEnvId, backupKey: id }],
  },
  'backupSchedule.storage': {
    updateAppEnv: (id) => [
      updateAppEnv,
      { appEnvId: ours.service.appEnvId, backupSchedule: { cron: '0 3 * * *', storage: id } },
    ],
  },
  storage: { backUpAppEnv: (id) => [backUpAppEnv, { appEnvId: ours.service.appEnvId, storage: id }] },
  baseAppEnvId: {
    setPullRequestEnvs: (id) => [setPullRequestEnvs, { appId: ours.built.appId, baseAppEnvId: id }],
  },
  fromAppEnvId: {
    promoteDeployment: (id) => [promoteDeployment, { appEnvId: ours.app.appEnvId, fromAppEnvId: id }],
  },
  imagePullAccountSecretId: {
    createApp: (id) => [createApp, { ...application(), imagePullAccountSecretId: id }],
    updateApp: (id) => [updateApp, { appId: ours.app.appId, imagePullAccountSecretId: id }],
  },
  buildPullAccountSecretId: {
    createApp: (id) => [createApp, { ...application(), buildPullAccountSecretId: id }],
    updateApp: (id) => [updateApp, { appId: ours.built.appId, buildPullAccountSecretId: id }],
  },
  contentId: { redeployAppEnv: (id) => [redeployAppEnv, { appEnvId: ours.app.appEnvId, contentId: id }] },
  targetContentId: { rollbackAppEnv: (id) => [rollbackAppEnv, { appEnvId: ours.app.appEnvId, targetContentId: id }] },
  fromContentId: { buildAppEnv: (id) => [buildAppEnv, { appEnvId: ours.built.appEnvId, fromContentId: id }] },
  host: {
    validateHost: (id) => [validateHost, { appEnvId: ours.app.appEnvId, host: id }],
    removeHost: (id) => [removeHost, { appEnvId: ours.app.appEnvId, host: id }],
  },
  hostId: {
    validateHost: (id) => [validateHost, { appEnvId: ours.app.appEnvId, hostId: id }],
    removeHost: (id) => [removeHost, { appEnvId: ours.app.appEnvId, hostId: id }],
  },
  podId: {
    createExec: (id) => [createExec, { appEnvId: ours.app.appEnvId, podId: id }],
    createTunnel: (id) => [createTunnel, { appEnvId: ours.app.appEnvId, podId: id }],
  },
  storageKey: { notifyCodeUpload: (id) => [notifyCodeUpload, { appEnvId: ours.app.appEnvId, storageKey: id }] },
  userId: {
    updateMember: (id) => [updateMember, { accountId: ours.accountId, userId: id, roles: ['AUDIT'] }],
    removeMember: (id) => [removeMember, { accountId: ours.accountId, userId: id }],
    transferAccount: (id) => [transferAccount, { accountId: ours.accountId, userId: id }],
  },
  volumeId: {
    createAppEnv: (id) => [
      createAppEnv,
      { accountId: ours.accountId, appId: ours.service.appId, name: 'again', region: 'local', volumeId: id },
    ],
  },
}
const people = () => ({ accountId: ours.accountId, roles: ['TECHNICAL'] })

/** Commands that name a thing in a field of these and have no case here, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'contentId of promoteDeployment':
    'looked up in the environment that fromAppEnvId names: test/services/promote.test.ts',
  'backupKey of deleteBackup': 'the target',
  'backupKey of downloadBackup': 'the target',
  'volumeId of deleteVolume': 'the target',
  'gitInstallationId of createApp': 'test/services/git-installation.test.ts',
  'gitInstallationId of updateApp': 'test/services/git-installation.test.ts',
  'gitInstallationId of installCompose': 'as that of createApp, which creates its apps',
  'gitInstallationId of inspectSource': 'as that of createApp, by the same rule',
  'gitInstallationId of connectGitInstallation': 'a GitHub App proves it: test/services/git-installation.test.ts',
  'host of addHost': 'a new name: test/worker/hosts.test.ts',
  'userId of createToken': 'the installation’s admin alone: test/services/delegation.test.ts',
}

test('every command that takes such a field has a case', () => {
  const named = taken.filter(({ field }) => CLASSIFIED.get(field) === 'named')
  const missing = named.filter(({ field, command }) => !CALLS[field]?.[command])
  expect(missing.map(({ field, command }) => `${field} of ${command}`).toSorted()).toEqual(
    Object.keys(ELSEWHERE).toSorted(),
  )
})

const dry = (token: string, call: [AnyCommand, object]) => refusalOf(world, token, call)

/** An id that nothing has, of the same form. */
const unknownLike = (id: string) => (/_[0-9a-z]{26}$/.test(id) ? newId(id.split('_')[0] as never) : `no${id}`)
const words = (error: DomainError | null, id: string) =>
  error === null ? 'accepted' : `${error.code} ${error.reason} ${error.message.replaceAll(id, '…')}`

test('what belongs to another account is refused in the words for what does not exist', async () => {
  const { token } = await world.user({ accountId: ours.accountId, roles: ['ADMIN'] })
  const wrong: string[] = []
  let cells = 0
  for (const [who, as] of Object.entries({ 'admin of the account': token, 'installation admin': world.adminToken }))
    for (const [field, calls] of Object.entries(CALLS))
      for (const [command, call] of Object.entries(calls)) {
        cells += 1
        const id = theirs.things[field] ?? ''
        const unknown = unknownLike(id)
        const got = words(await dry(as, call(id)), id)
        const none = words(await dry(as, call(unknown)), unknown)
        if (got === 'accepted' || got !== none) wrong.push(`${field} of ${command} by ${who}: ${got}; unknown: ${none}`)
      }
  console.info(`named things of another account: ${cells} cells`)
  expect(wrong).toEqual([])
})

test('what belongs to another environment is refused to its token, and to members who are restricted', async () => {
  const environments = { app: ours.app, built: ours.built, service: ours.service }
  const wrong: string[] = []
  let cells = 0
  for (const [field, calls] of Object.entries(CALLS))
    for (const [command, call] of Object.entries(calls)) {
      const [, input] = call('')
      const { appEnvId } = input as { appEnvId?: string }
      if (!appEnvId) continue
      const own = Object.values(environments).find((one) => one.appEnvId === appEnvId)
      if (!own) throw new Error(`${command} is about no environment of the test`)
      // Another environment of the same account, with things of its own.
      const other = await place(
        ours.accountId,
        `${command.toLowerCase()}-${field.toLowerCase().replace(/\W/g, '')}.example.com`,
      )
      const id = other.things[field] ?? ''
      const environment = (await world.token({ kind: 'ENVIRONMENT', appEnvId })).token
      const restricted = await world.user({ accountId: ours.accountId, roles: ['ADMIN'], appEnvIds: [appEnvId] })
      for (const [who, as] of Object.entries({
        'environment token': environment,
        'restricted member': restricted.token,
      })) {
        cells += 1
        const got = await dry(as, call(id))
        // Credentials belong to the account, which a member may read.
        const isOfAccount = field.toLowerCase().includes('storage') && field !== 'storageKey'
        if (got === null && !(isOfAccount && who === 'restricted member'))
          wrong.push(`${field} of ${command} by ${who}`)
      }
    }
  console.info(`named things of another environment: ${cells} cells`)
  expect(wrong).toEqual([])
})

test('the token of an environment stores backups where the environment has some', async () => {
  const { appEnvId } = ours.service
  const storage = ours.things.storage ?? ''
  const { token } = await world.token({ kind: 'ENVIRONMENT', appEnvId })
  const backUp = (id: string) => dry(token, [backUpAppEnv, { appEnvId, storage: id }])
  const unknown = unknownLike(storage)
  expect(words(await backUp(storage), storage)).toBe(words(await backUp(unknown), unknown))
  await world.perform(updateAppEnv, { appEnvId, backupSchedule: { cron: '0 3 * * *', storage } })
  expect(await backUp(storage)).toBeNull()
})
