import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Configuration, recordedConfiguration } from '../../src/domain/configuration.ts'
import { createCredential } from '../../src/services/credential/credential-commands.ts'
import { createGitHook } from '../../src/services/git-hook/git-hook-commands.ts'
import { openInstallation } from '../../src/services/installation.ts'
import { resealAccount } from '../../src/services/master-key/reseal-account.ts'
import { rotateMasterKey } from '../../src/services/master-key/rotate-master-key.ts'
import { installSolution } from '../../src/services/solution/install-solution.ts'
import { createWebhook } from '../../src/services/webhook/webhook-commands.ts'
import { createDatabase, type Database } from '../../src/storage/database/client.ts'
import { openFingerprintKey } from '../../src/storage/secrets/fingerprint-key.ts'
import { hostProof } from '../../src/storage/secrets/host-proof.ts'
import { newKey } from '../../src/storage/secrets/keys.ts'
import { newSecret } from '../../src/storage/secrets/token-secret.ts'
import { createVault } from '../../src/storage/secrets/vault.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
/** Sessions that are not those of a running Berth. */
let database: Database
const keys = () => ({ from: world.masterKey, to })
const to = newKey()
let accounts: string[]
let proof: unknown

beforeAll(async () => {
  world = await createWorld()
  database = createDatabase({ url: world.url, poolSize: 2, applicationName: 'berth-test' })
  accounts = [world.accountId, await world.account()]
  for (const accountId of accounts) {
    const variables = [{ name: 'PASSWORD', value: `of ${accountId}`, isSecret: true }]
    const { appEnvId } = await world.appEnv({ accountId, envVars: variables })
    await world.deploy(appEnvId)
    const data = { registry: 'registry.example.com', username: 'u', password: `of ${accountId}` }
    await world.perform(createCredential, { accountId, type: 'CONTAINER_REGISTRY', name: 'registry', data })
    const inputs = { adminToken: `of ${accountId}` }
    const solution = { accountId, solutionSlug: 'vaultwarden', appName: 'Vault', region: 'local', inputs }
    await world.perform(installSolution, solution)
    await world.perform(createWebhook, { accountId, name: 'Receiver', url: `https://example.com/${accountId}` })
    await world.perform(createGitHook, { accountId, provider: 'GITHUB', name: 'Hook' })
  }
  await world.perform(createCredential, ...keyed())
  const { id: userId } = await world.database.user.findFirstOrThrow()
  const sealedSecret = world.vault.sealCodeSecret(userId, 'of a phone')
  await world.database.codeGenerator.create({ data: { userId, sealedSecret } })
  proof = hostProof(world.vault, accounts[0] ?? '', 'shop.example.com', 'a')
})

afterAll(async () => {
  await database.$disconnect()
  await world.close()
})

const keyed = () =>
  [
    {
      accountId: accounts[0],
      type: 'CONTAINER_REGISTRY',
      name: 'keyed',
      data: { registry: 'registry.example.com', username: 'u', password: 'p' },
    },
    { idempotencyKey: 'rotated' },
  ] as const

/** Everything of an account that is sealed, opened. */
async function opened(accountId: string, key = to): Promise<string[]> {
  const account = await database.account.findUniqueOrThrow({ where: { id: accountId } })
  const vault = createVault(key).forAccount(account)
  const variables = await database.variable.findMany({ where: { appEnv: { accountId } } })
  const credentials = await database.credential.findMany({ where: { accountId }, orderBy: { id: 'asc' } })
  const installations = await database.solutionInstallation.findMany({ where: { accountId } })
  const webhooks = await database.webhook.findMany({ where: { accountId } })
  const gitHooks = await database.gitHook.findMany({ where: { accountId } })
  const versions = await database.content.findMany({ where: { accountId } })
  const recorded = versions.flatMap((version) => recordedConfiguration(version).variables as Configuration['variables'])
  return [
    ...[...variables, ...recorded].map((variable) => vault.openVariable(variable)),
    ...credentials.map(({ id, sealedData }) => JSON.stringify(vault.openCredential(id, sealedData))),
    ...webhooks.map(({ id, sealedData }) => JSON.stringify(vault.openWebhook(id, sealedData))),
    ...gitHooks.map(({ id, sealedData }) => JSON.stringify(vault.openGitHook(id, sealedData))),
    ...installations.map(({ id, sealedInputs }) => JSON.stringify(vault.openInputs(id, sealedInputs))),
  ]
}

const start = (key = to) =>
  openInstallation(database, createVault(key), world.config, newSecret('USER')).then(
    () => 'started',
    (error: Error) => error.message,
  )

test('is refused while a process of Berth uses the database', async () => {
  await expect(rotateMasterKey(database, keys())).rejects.toThrow(/^Berth is running: \d+ session\(s\)/)
  expect(await start(world.masterKey)).toBe('started')
})

test('interrupted after some accounts, keeps every process from starting, and is finished by a second run', async () => {
  const plain = await Promise.all(accounts.map((accountId) => opened(accountId, world.masterKey)))
  expect(plain.flat().length).toBe(25)
  await world.wakeups.close()
  await world.database.$disconnect()
  const rotation = { ...keys(), old: createVault(world.masterKey), next: createVault(to) }
  const stopped = new Error('killed')
  // The listing of the accounts is what comes after the first transaction.
  const account = { findMany: () => Promise.reject(stopped) }
  const once = new Proxy(database, { get: (all, name) => (name === 'account' ? account : Reflect.get(all, name)) })
  await expect(rotateMasterKey(once, keys())).rejects.toBe(stopped)
  await database.$transaction((tx) => resealAccount(tx, rotation, accounts[0] ?? ''))

  for (const key of [world.masterKey, to])
    expect(await start(key)).toMatch(/is being rotated .* npm run key:rotate, or run it again/)
  await expect(rotateMasterKey(database, { from: world.masterKey, to: newKey() })).rejects.toThrow(
    /was interrupted, and the file of the next key holds/,
  )
  expect(await rotateMasterKey(database, keys())).toEqual({ accounts: 2, values: 22 })
  expect(await Promise.all(accounts.map((accountId) => opened(accountId)))).toEqual(plain)
  expect(await start()).toBe('started')
  expect(await start(world.masterKey)).toMatch(/is not the one this database was made with/)
})

test('gave every account another data key, so that one that leaked opens nothing new', async () => {
  for (const id of accounts) {
    const account = await database.account.findUniqueOrThrow({ where: { id } })
    expect(() => world.vault.forAccount(account)).toThrow(/was sealed with key/)
  }
})

test('repeated, finds nothing left to do', async () => {
  expect(await rotateMasterKey(database, keys())).toEqual({ accounts: 2, values: 22 })
})

test('leaves DNS records that prove hosts, and kept answers, as they were', async () => {
  const { fingerprintKey } = await database.installation.findFirstOrThrow()
  const vault = createVault(to, openFingerprintKey(to, fingerprintKey))
  expect(hostProof(vault, accounts[0] ?? '', 'shop.example.com', 'a')).toEqual(proof)
  const [answer] = await database.idempotencyRecord.findMany()
  const call = `${answer?.callerId}/${answer?.route}/${answer?.key}`
  expect(vault.openAnswer(call, answer?.response ?? '')).toContain('credentialId')
  expect(answer?.requestHash).toBe(world.vault.fingerprint(JSON.stringify([keyed()[0], null])))
})

test('is in the audit log of the installation', async () => {
  const entries = await database.auditEntry.findMany({ where: { action: 'rotateMasterKey' } })
  expect(entries.map(({ details }) => details)).toEqual([{ from: world.masterKey.id, to: to.id, accounts: 2 }])
})

test('keeps the codes of people who sign in', async () => {
  const [generator] = await database.codeGenerator.findMany()
  expect(createVault(to).openCodeSecret(generator?.userId ?? '', generator?.sealedSecret ?? '')).toBe('of a phone')
})
