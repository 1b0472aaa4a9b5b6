import { randomUUID } from 'node:crypto'
import pino from 'pino'
import { createRateLimits } from '../../src/api/http/rate-limits.ts'
import type { AnyCommand, CallOptions, ResultOf } from '../../src/calls/command.ts'
import { readConfig } from '../../src/config/config.ts'
import type { RoleName, Scope } from '../../src/domain/permissions.ts'
import { createAccount } from '../../src/services/account/account-commands.ts'
import { addMember } from '../../src/services/account/member-commands.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { openInstallation } from '../../src/services/installation.ts'
import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { createServices } from '../../src/services/services.ts'
import { createToken } from '../../src/services/token/token-commands.ts'
import { createWakeups } from '../../src/storage/events/wakeups.ts'
import { newKey } from '../../src/storage/secrets/keys.ts'
import { newSecret } from '../../src/storage/secrets/token-secret.ts'
import { createVault } from '../../src/storage/secrets/vault.ts'
import { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from './database.ts'
import { expectDescribedEvents } from './described-events.ts'
import { endOperation, type Outcome } from './end-operation.ts'

export type World = Awaited<ReturnType<typeof createWorld>>

interface WorldOptions extends TestDatabaseOptions {
  /** Settings that differ from the defaults, as environment variables. */
  settings?: Record<string, string>
  /** An existing migrated database; a clone of the test run's template when omitted. */
  held?: TestDatabase
}

/** Tests call often, and ask no DNS server outside: nothing listens on this port. */
const USUAL_SETTINGS = {
  BERTH_REGISTRY_LOGIN_RATE_LIMIT: '1000000',
  BERTH_LOOKUP_RATE_LIMIT: '1000000',
  BERTH_DNS_SERVERS: '127.0.0.1:9',
}

/** A fresh installation on a database of its own, and shortcuts to fill it through the real services. */
export async function createWorld({ settings = {}, ...options }: WorldOptions = {}) {
  const held = options.held ?? (await createTestDatabase({ poolSize: 10, ...options }))
  const { database, url } = held
  const config = readConfig({ ...USUAL_SETTINGS, ...settings })
  const log = pino({ level: process.env.BERTH_TEST_LOG ?? 'silent' })
  const masterKey = newKey()
  const vault = createVault(masterKey)
  const adminToken = newSecret('USER')
  await openInstallation(database, vault, config, adminToken)
  const wakeups = createWakeups({ url, log })
  const limits = createRateLimits(config)
  const services = createServices({ database, config, vault, wakeups, limits })
  const accountId = (await services.authenticate(adminToken)).currentAccountId ?? ''

  async function perform<C extends AnyCommand>(
    command: C,
    input: unknown,
    options: Partial<CallOptions> & { as?: string } = {},
  ) {
    const { as = adminToken, ...rest } = options
    const caller = await services.authenticate(as)
    const performed = await services.perform(caller, command, input, { requestId: 'req_world', api: 'world', ...rest })
    return performed.result as ResultOf<C>
  }

  return {
    database,
    url,
    config,
    log,
    masterKey,
    vault,
    wakeups,
    limits,
    services,
    adminToken,
    accountId,
    /** Of installations: there is no container to ask. */
    smokeTest: async () => ({ passed: true, reason: '' }),
    perform,
    ...people(perform, accountId),
    ...places(perform, accountId),
    /** Ends an operation as the worker would. */
    endOperation: (operationId: string | null, outcome?: Outcome) => endOperation(database, operationId ?? '', outcome),
    operationsOf: (appEnvId: string) => database.operation.findMany({ where: { appEnvId }, orderBy: { id: 'asc' } }),
    auditOf: (targetId: string) => database.auditEntry.findMany({ where: { targetId }, orderBy: { id: 'asc' } }),
    /** Deploys an image to an environment and ends the operation at once. */
    async deploy(appEnvId: string, image = 'nginx:1') {
      const { operationId } = await perform(deployImage, { appEnvId, image })
      await endOperation(database, operationId ?? '')
      const { contentId } = await database.operation.findUniqueOrThrow({ where: { id: operationId ?? '' } })
      return contentId ?? ''
    },
    /** Builds an environment's source, and ends the operation at once. */
    async build(appEnvId: string) {
      const { operationId } = await perform(buildAppEnv, { appEnvId })
      await endOperation(database, operationId ?? '')
    },
    async close() {
      await wakeups.close()
      await expectDescribedEvents(database).finally(() => held.drop())
    },
  }
}

type Perform = <C extends AnyCommand>(command: C, input: unknown, options?: { as?: string }) => Promise<ResultOf<C>>

interface NewUser {
  roles?: RoleName[]
  accountId?: string
  appEnvIds?: string[] | null
}

const unique = (noun: string) => `${noun} ${randomUUID().slice(0, 8)}`

function people(perform: Perform, defaultAccountId: string) {
  const token = async (
    input: {
      kind?: string
      userId?: string
      appEnvId?: string
      scopes?: Scope[]
      expiresAt?: string
      as?: string
    } = {},
  ) => {
    const { as, kind = 'USER', ...rest } = input
    const created = await perform(createToken, { kind, name: unique('token'), ...rest }, { ...(as ? { as } : {}) })
    return { tokenId: created.tokenId, token: created.token }
  }
  return {
    token,
    /** A member of an account, with a token. The defaults are TECHNICAL and the default account. */
    async user({ roles = ['TECHNICAL'], accountId = defaultAccountId, appEnvIds = null }: NewUser = {}) {
      const email = `${randomUUID()}@example.com`
      const { userId } = await perform(addMember, { accountId, email, roles, appEnvIds })
      return { userId, email, ...(await token({ userId })) }
    },
    async account(name = unique('account')) {
      const { accountId } = await perform(createAccount, { name })
      return accountId
    },
  }
}

type Fields = Record<string, unknown>

function places(perform: Perform, defaultAccountId: string) {
  const app = async (fields: Fields = {}) => {
    const input = {
      name: unique('app'),
      accountId: defaultAccountId,
      port: 8080,
      useImage: true,
      image: 'nginx:1',
      ...fields,
    }
    const { appId } = await perform(createApp, input)
    return appId
  }
  return {
    /** An app that runs images, unless `fields` of POST /app say otherwise. */
    app,
    /** An environment, of a new app unless `appId` names one. */
    async appEnv({ app: appFields, ...fields }: Fields & { app?: Fields } = {}) {
      const accountId = fields.accountId ?? appFields?.accountId ?? defaultAccountId
      const appId = fields.appId ?? (await app({ accountId, ...appFields }))
      const { appEnvId } = await perform(createAppEnv, {
        accountId,
        appId,
        name: 'production',
        region: 'local',
        ...fields,
      })
      return { appEnvId, appId: String(appId), accountId: String(accountId) }
    },
  }
}
