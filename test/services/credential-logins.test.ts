import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRateLimits } from '../../src/api/http/rate-limits.ts'
import type { AnyCommand } from '../../src/calls/command.ts'
import { tryTenantLogin } from '../../src/network/registries/try-tenant-login.ts'
import { createAccount } from '../../src/services/account/account-commands.ts'
import { createCredential, updateCredential } from '../../src/services/credential/credential-commands.ts'
import { listCredentialUsages } from '../../src/services/credential/credential-queries.ts'
import { deleteCredential } from '../../src/services/credential/delete-credential.ts'
import { testCredential } from '../../src/services/credential/test-credential.ts'
import { requireAccepted, tryCredential } from '../../src/services/credential/try-credential.ts'
import { registryLoginsOf } from '../../src/worker/images/registry-logins.ts'
import {
  type DockerRegistry,
  isRegistryInstalled,
  REGISTRY_CREDENTIAL,
  startRegistry,
} from '../support/docker-registry.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let registry: DockerRegistry

const isInstalled = await isRegistryInstalled()
if (!isInstalled) console.info('Skipped: logins at a real registry need the Debian package docker-registry')

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_PRIVATE_REGISTRIES: '127.0.0.1' } })
  if (isInstalled) registry = await startRegistry()
})
afterAll(async () => {
  await registry?.[Symbol.asyncDispose]()
  await world.close()
})

const type = 'CONTAINER_REGISTRY'
const elsewhere = { registry: 'registry.example.com', username: 'ada', password: 'hush' }

const save = (data: Record<string, string>, more: Record<string, unknown> = {}) =>
  world.perform(createCredential, { accountId: world.accountId, type, name: 'Login', data, ...more })

const refusal = (command: AnyCommand, input: object) =>
  world.perform(command, input).then(
    () => 'accepted',
    (error) => `${error.reason ?? ''} ${error.message}`,
  )

const rowOf = (id: string) => world.database.credential.findUniqueOrThrow({ where: { id } })

test.skipIf(!isInstalled)('a login is tried before it is saved, and one that is refused is not saved', async () => {
  const { address } = registry
  const right = { ...REGISTRY_CREDENTIAL, registry: address }
  const wrong = { ...right, password: 'canary of a password' }
  const { credentialId, checkedAt, warning } = await save(right)
  expect([checkedAt !== null, warning]).toEqual([true, undefined])
  const count = await world.database.credential.count()
  const said = await refusal(createCredential, { accountId: world.accountId, type, name: 'Login', data: wrong })
  expect(said).toContain(`data.password: is refused by the registry ${address} for the user name "alice"`)
  expect(said).not.toContain('canary')
  expect(await refusal(updateCredential, { credentialId, data: wrong })).toContain('data.password: is refused')
  expect(await world.database.credential.count()).toBe(count)
  expect(await world.perform(testCredential, { credentialId })).toMatchObject({
    accepted: true,
    message: `The registry ${address} accepts the login`,
  })
  const account = { name: 'Other', registryServer: address, registryUsername: 'alice', registryPassword: 'wrong' }
  expect(await refusal(createAccount, account)).toContain('registryPassword: is refused')
})

test('a registry that does not answer keeps nobody from saving: a warning says so', async () => {
  const { credentialId, checkedAt, warning } = await save(elsewhere)
  expect(checkedAt).toBeNull()
  expect(warning).toContain(
    'saved without having been tried: the registry registry.example.com cannot be reached: its name cannot be resolved',
  )
  expect(await world.perform(testCredential, { credentialId })).toMatchObject({ accepted: null, checkedAt: null })
})

test('tries have a budget for each account', async () => {
  const limits = createRateLimits({ ...world.config, BERTH_REGISTRY_LOGIN_RATE_LIMIT: 2 })
  const asking = (accountId: string) =>
    tryCredential({ config: world.config, limits }, accountId, {
      type,
      data: { ...elsewhere, registry: '10.0.0.1:5000' },
    })
  const first = [await asking('acc_1'), await asking('acc_1'), await asking('acc_1')]
  expect(first[1]).toMatchObject({ kind: 'refused' })
  expect(first[2]).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterSeconds: expect.any(Number) } })
  expect(() => requireAccepted(first[2] ?? null, elsewhere)).toThrow('Too many logins')
  expect(await asking('acc_2')).toMatchObject({ kind: 'refused' })
  // What is no login of a registry costs nothing.
  expect(await tryCredential({ config: world.config, limits }, 'acc_1', { type: 'BASIC_AUTH', data: {} })).toBeNull()
})

test('the registry that Berth pushes to is not asked at a private address, unless it is listed', async () => {
  const BERTH_PUSH_REPOSITORY = '127.0.0.3:1/berth'
  const tried = (BERTH_PRIVATE_REGISTRIES: string[]) =>
    tryTenantLogin(
      '127.0.0.3:1',
      { username: 'a', password: 'b' },
      { BERTH_REGISTRIES: [], BERTH_PRIVATE_REGISTRIES, BERTH_PUSH_REPOSITORY },
    )
  expect(await tried([])).toEqual({ kind: 'unknown', why: 'is not asked: it is the one that Berth pushes to' })
  expect(await tried(['127.0.0.3'])).toMatchObject({
    why: expect.stringContaining('cannot be reached: it refuses connections'),
  })
})

test('a registry at an address that must not be asked is refused by its field', async () => {
  const data = { ...elsewhere, registry: '10.0.0.1:5000' }
  const said = await refusal(createCredential, { accountId: world.accountId, type, name: 'Login', data })
  expect(said).toContain('data.registry: names the registry 10.0.0.1:5000, which is on a private address')
})

test('who may not keep logins has none tried', async () => {
  const { token } = await world.user()
  const data = { ...elsewhere, registry: '10.0.0.1:5000' }
  const asked = world.perform(
    createCredential,
    { accountId: world.accountId, type, name: 'Login', data },
    { as: token },
  )
  await expect(asked).rejects.toMatchObject({ code: 'FORBIDDEN', reason: 'ROLE_MISSING' })
})

test('a registry has one default, which is used where an app names none', async () => {
  const accountId = await world.account()
  const account = await world.database.account.findUniqueOrThrow({ where: { id: accountId } })
  const keep = async (password: string, more: Record<string, unknown> = {}) =>
    (await save({ ...elsewhere, password }, { accountId, isDefault: true, ...more })).credentialId
  const logins = (id: string | null, pullRequest: { isFork: boolean } | null = null) =>
    registryLoginsOf(
      world,
      { accountId, account, pullRequest: pullRequest && { number: 1, ref: '', ...pullRequest } },
      id,
    )
  expect(await logins(null)).toEqual({})
  const first = await keep('first')
  expect(await logins(null)).toEqual({ 'registry.example.com': { username: 'ada', password: 'first' } })
  const second = await keep('second')
  expect([(await rowOf(first)).defaultFor, (await rowOf(second)).defaultFor]).toEqual([null, 'registry.example.com'])
  expect(await logins(null)).toEqual({ 'registry.example.com': { username: 'ada', password: 'second' } })
  // A stranger's Dockerfile is built without any, also where an app names one.
  expect([await logins(null, { isFork: true }), await logins(second, { isFork: true })]).toEqual([{}, {}])
  expect(await logins(null, { isFork: false })).toEqual(await logins(null))
  // What an app names comes first, for its own registry only.
  expect(await logins(first)).toEqual({ 'registry.example.com': { username: 'ada', password: 'first' } })
  const hub = await keep('hub', { data: { ...elsewhere, registry: 'other.example.com', password: 'hub' } })
  expect(Object.keys(await logins(first)).sort()).toEqual(['other.example.com', 'registry.example.com'])
  await world.perform(updateCredential, { credentialId: hub, data: elsewhere })
  expect([(await rowOf(second)).defaultFor, (await rowOf(hub)).defaultFor]).toEqual([null, 'registry.example.com'])
  await world.perform(updateCredential, { credentialId: hub, isDefault: false })
  expect(await logins(null)).toEqual({})
  const basic = { type: 'BASIC_AUTH', data: { username: 'a', password: 'b' }, isDefault: true }
  expect(await refusal(createCredential, { accountId, name: 'Login', ...basic })).toContain('isDefault: is only for')
})

test('the default is made by two calls at once, and is one', async () => {
  const accountId = await world.account()
  const made = await Promise.all([1, 2, 3, 4].map(() => save(elsewhere, { accountId })))
  const many = made.map(({ credentialId }) => world.perform(updateCredential, { credentialId, isDefault: true }))
  await Promise.all([...many, ...[1, 2].map(() => save(elsewhere, { accountId, isDefault: true }))])
  expect(await world.database.credential.count({ where: { accountId, defaultFor: { not: null } } })).toBe(1)
})

async function usages(credentialId: string) {
  const caller = await world.services.authenticate(world.adminToken)
  return world.services.all(listCredentialUsages, { caller, requestId: 'req_1' }, { credentialId })
}

test('what uses a credential is shown, named by the refusal, and cleared where that is forced', async () => {
  const { credentialId } = await save(elsewhere)
  expect(await usages(credentialId)).toEqual([])
  const names = { imagePullAccountSecretId: credentialId, buildPullAccountSecretId: credentialId }
  const { appEnvId, appId } = await world.appEnv({ app: { name: 'Shop', ...names } })
  await world.deploy(appEnvId, 'registry.example.com/shop:1')
  expect((await usages(credentialId)).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'IMAGE_PULL Shop',
    'BUILD_PULL Shop',
    'VERSION default-shop-production',
  ])
  const said = await refusal(deleteCredential, { credentialId })
  expect(said).toContain('CREDENTIAL_IN_USE')
  expect(said).toContain('the images of the app "Shop", the builds of the app "Shop", the version that runs in')
  const { token } = await world.user({ roles: ['MANAGE_CREDENTIALS'] })
  const byManager = world.perform(deleteCredential, { credentialId, force: true }, { as: token })
  await expect(byManager).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await world.perform(deleteCredential, { credentialId, force: true })
  const app = await world.database.app.findUniqueOrThrow({ where: { id: appId } })
  expect([app.imagePullAccountSecretId, app.buildPullAccountSecretId]).toEqual([null, null])
})

test('an environment that relies on a default uses it', async () => {
  const accountId = await world.account()
  const { credentialId } = await save(elsewhere, { accountId, isDefault: true })
  const { appEnvId } = await world.appEnv({ accountId, app: { name: 'Shop' } })
  await world.deploy(appEnvId, 'registry.example.com/shop:1')
  const other = await world.appEnv({ accountId, app: { name: 'Blog' } })
  await world.deploy(other.appEnvId, 'nginx:1')
  expect(await usages(credentialId)).toMatchObject([{ kind: 'DEFAULT', appEnvId }])
  // One that the app names for another registry changes nothing, and one for this registry is used instead.
  const name = async (registry: string) => {
    const { credentialId: named } = await save({ ...elsewhere, registry }, { accountId })
    const { appId } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
    await world.database.app.update({ where: { id: appId }, data: { imagePullAccountSecretId: named } })
  }
  await name('other.example.com')
  expect(await usages(credentialId)).toMatchObject([{ kind: 'DEFAULT', appEnvId }])
  await name('registry.example.com')
  expect(await usages(credentialId)).toEqual([])
  await world.database.app.updateMany({ where: { accountId }, data: { imagePullAccountSecretId: null } })
  const member = await world.user({ accountId, appEnvIds: [other.appEnvId] })
  const caller = await world.services.authenticate(member.token)
  expect(await world.services.all(listCredentialUsages, { caller, requestId: 'req_1' }, { credentialId })).toEqual([])
  expect(await refusal(deleteCredential, { credentialId })).toContain('by default')
})
