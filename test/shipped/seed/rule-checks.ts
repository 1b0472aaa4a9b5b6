import { expect } from 'vitest'
import { unique } from '../support/user.ts'
import { expectUpdating } from './app-env-checks.ts'
import { checkOlderNames, checkServices, checkSingleNode } from './service-checks.ts'
import { type Checks, fieldsOf, type Walk } from './walk.ts'

const LIFECYCLE = ['deploy-image', 'build', 'redeploy', 'rollback', 'stop', 'start']

const bodyFor = (walk: Walk, operation: string, fields: Record<string, unknown>) =>
  operation === 'deploy-image' ? { image: walk.images[0], ...fields } : fields

const expectAll = async (walk: Walk, fields: Record<string, unknown>, expected: object, token?: string | null) => {
  for (const operation of LIFECYCLE) {
    const { body } = await walk.lifecycle(operation, bodyFor(walk, operation, fields), token)
    expect(body, operation).toMatchObject({ success: false, ...expected })
  }
}

const appCalls = (walk: Walk, token: string | null) => {
  const { appId } = walk.source
  const body = { name: 'Walk', accountId: walk.accountId, port: 80 }
  return Promise.all([
    walk.call('POST', '/app', { token, body }),
    walk.call('GET', '/app', { token, query: { appId } }),
    walk.call('PATCH', '/app', { token, body: { appId } }),
    walk.call('DELETE', '/app', { token, query: { appId } }),
    walk.call('GET', '/apps', { token }),
  ])
}

/** §1: the four types, as far as they exist. */
export const types: Checks = {
  async '1 Apps'(walk) {
    for (const dockerPreset of ['CUSTOM', 'METEOR_JS', 'NEXT_JS', 'EXPRESS']) {
      const { appEnvId } = await walk.appEnv({ app: { dockerPreset } })
      expect((await walk.call('GET', '/app-env', { query: { appEnvId } })).body.hosts).toHaveLength(1)
    }
  },
  async '1 Functions'(walk) {
    const functionConfig = { minScale: 0, maxScale: 2 }
    for (const named of [{ dockerPreset: 'FUNCTION' }, { appType: 'function' }])
      await walk.app({ ...named, functionConfig })
    const volume = {
      accountId: walk.accountId,
      appId: await walk.app({ dockerPreset: 'FUNCTION' }),
      name: 'a',
      region: 'local',
      volume: { path: '/data', disk: 100 },
    }
    expect(fieldsOf((await walk.call('POST', '/app-env', { body: volume })).body)).toEqual(['volume'])
  },
  async '1 Jobs'(walk) {
    for (const named of [{ dockerPreset: 'JOB' }, { appType: 'job' }])
      await walk.app({ ...named, port: undefined, jobConfig: { command: 'run' } })
  },
  '1 Databases & Services': (walk) => checkServices(walk),
  '1 rule 1': (walk) => checkOlderNames(walk),
  '8 rule 1': (walk) => checkSingleNode(walk),
  '9 rule 3': (walk) => checkOlderNames(walk),
  async '1 rule 2'(walk) {
    const { appEnvId } = await walk.appEnv({ app: { dockerPreset: 'JOB', port: undefined } })
    expect((await walk.call('GET', '/app-env', { query: { appEnvId } })).body.hosts).toEqual([])
  },
  async '1 rule 4'(walk) {
    const app = { dockerPreset: 'JOB', port: undefined, jobConfig: { command: 'old' } }
    const { appId, appEnvId } = await walk.deployed({ app })
    await walk.call('PATCH', '/app', { body: { appId, jobConfig: { command: 'new' } } })
    const { body } = await walk.call('POST', '/app-env/job-runs', { body: { appEnvId } })
    expect(body.commandSnapshot, JSON.stringify(body)).toMatchObject({ command: 'old' })
  },
  '1 rule 3': (walk) => checkFunctionsAvailability(walk),
  '8 rule 3': (walk) => checkFunctionsAvailability(walk),
}

/** The plan, the account and the region each may refuse functions; the installation's admin decides for all three. */
async function checkFunctionsAvailability(walk: Walk): Promise<void> {
  const code = unique('tier').replace(' ', '-')
  const limits = { maxApps: 9, maxAppEnvs: 9, maxContainers: 9, maxZClouds: 8 }
  const plan = { plan: code, name: code, functionsIncluded: false, autoscalingIncluded: false, ...limits }
  expect((await walk.call('POST', '/plan', { body: plan })).status).toBe(200)
  const region = { region: code, name: code, domain: `${code}.localhost`, functionsSupported: false }
  expect((await walk.call('POST', '/region', { body: region })).status).toBe(200)
  const refusal = { status: 403, reason: 'FUNCTIONS_NOT_AVAILABLE' }

  const accountId = await walk.account()
  const functionApp = { name: 'F', accountId, port: 80, dockerPreset: 'FUNCTION' }
  const { body: created } = await walk.call('POST', '/app', { body: functionApp })
  const appEnv = { accountId, appId: created.appId, name: 'a', region: code }
  expect((await walk.call('POST', '/app-env', { body: appEnv })).body).toMatchObject(refusal)
  expect((await walk.call('POST', '/app-env', { body: { ...appEnv, region: 'local' } })).status).toBe(200)

  for (const [change, undo] of [
    [{ plan: code }, { plan: 'standard' }],
    [{ allowFunctions: false }, { allowFunctions: true }],
  ]) {
    expect((await walk.call('PUT', '/account', { body: { accountId, ...change } })).status).toBe(200)
    const another = { ...functionApp, name: unique('f') }
    expect((await walk.call('POST', '/app', { body: another })).body).toMatchObject(refusal)
    expect((await walk.call('PUT', '/account', { body: { accountId, ...undo } })).status).toBe(200)
  }
}

/** §4.1, rules. */
export const lifecycleRules: Checks = {
  async '4.1 rule 1'(walk) {
    const { appEnvId } = await walk.appEnv({ app: { useImage: false, image: undefined } })
    const refused = await walk.lifecycle('deploy-image', { appEnvId, image: walk.images[0] })
    expect(refused.body).toMatchObject({ status: 409, reason: 'IMAGE_NOT_ENABLED' })
    const functionApp = await walk.appEnv({ app: { dockerPreset: 'FUNCTION', useImage: false, image: undefined } })
    await expectUpdating(walk, 'deploy-image', { appEnvId: functionApp.appEnvId, image: walk.images[0] })
  },
  async '4.1 rule 2'(walk) {
    const { appEnvId, second } = await walk.deployed()
    const { activities } = (await walk.call('GET', '/app-env/history', { query: { appEnvId } })).body
    const targets = activities.filter((activity: { canRollback: boolean }) => activity.canRollback)
    expect(targets.map((target: { version: number }) => target.version)).toEqual([1])
    const current = await walk.lifecycle('rollback', { appEnvId, targetContentId: second })
    expect(current.body).toMatchObject({ status: 409, reason: 'ALREADY_CURRENT' })
    await expectUpdating(walk, 'rollback', { appEnvId, targetContentId: targets[0].contentId })
  },
  async '4.1 rule 3'(walk) {
    const { paths } = (await walk.call('GET', '//openapi.json')).body
    const flagged = LIFECYCLE.filter((operation) => paths[`/app-env/${operation}`].post['x-dangerous'])
    expect(flagged).toEqual(['rollback', 'stop'])
  },
  async '4.1 rule 4'(walk) {
    const { appEnvId } = await walk.appEnv()
    expect((await walk.lifecycle('start', { appEnvId })).body).toMatchObject({ status: 409, reason: 'NEVER_DEPLOYED' })
  },
  async '4.1 rule 5'(walk) {
    const { appEnvId } = await walk.deployed()
    await walk.call('PUT', '/app-env', {
      body: { appEnvId, startupConfig: { command: 'node /app/program.mjs serve' } },
    })
    await expectUpdating(walk, 'redeploy', { appEnvId })
    await walk.finish(appEnvId)
    expect((await walk.call('GET', '/app-env', { query: { appEnvId } })).body).toMatchObject({
      status: 'RUNNING',
      pendingChanges: [],
    })
  },
}

/** §5. */
export const authentication: Checks = {
  async '5 rule 1'(walk) {
    expect((await walk.call('GET', '/apps', { token: walk.adminToken })).status).toBe(200)
    expect((await walk.call('GET', '/apps', { token: null })).status).toBe(401)
  },
  async '5 rule 2'(walk) {
    const body = JSON.stringify({ name: 'Typed', accountId: walk.accountId, port: 80 })
    expect((await walk.call('POST', '/app', { body, headers: { 'content-type': 'application/json' } })).status).toBe(
      200,
    )
    expect((await walk.call('POST', '/app', { body, headers: { 'content-type': 'text/plain' } })).status).toBe(415)
  },
  async '5 rule 3'(walk) {
    const { token } = await walk.token({ kind: 'ENVIRONMENT', appEnvId: walk.source.appEnvId })
    for (const { body } of await appCalls(walk, token))
      expect(body).toMatchObject({ status: 403, reason: 'USER_TOKEN_REQUIRED' })
  },
  async '5 rule 4'(walk) {
    const { appEnvId } = await walk.appEnv()
    await expectAll(walk, { appEnvId }, { status: 401 }, null)
    const { token } = await walk.user({ roles: ['BILLING'] })
    await expectAll(walk, { appEnvId }, { status: 403 }, token)
  },
  async '5 rule 5'(walk) {
    const { token } = await walk.user({ roles: ['TECHNICAL'] })
    const { appId, appEnvId } = await walk.appEnv()
    expect((await walk.call('DELETE', '/app', { token, query: { appId } })).status).toBe(403)
    expect((await walk.call('GET', '/app-env', { token, query: { appEnvId, decrypt: 'true' } })).status).toBe(403)
    const admin = await walk.user({ roles: ['ADMIN'] })
    expect(
      (await walk.call('GET', '/app-env', { token: admin.token, query: { appEnvId, decrypt: 'true' } })).status,
    ).toBe(200)
    expect((await walk.call('DELETE', '/app', { token: admin.token, query: { appId } })).status).toBe(200)
  },
}

/** §7: the two tables of statuses. */
export const errors: Checks = {
  async '7 table 1: 400'(walk) {
    await expectAll(walk, {}, { status: 400 })
    await expectAll(walk, { appEnvId: 7 }, { status: 400 })
  },
  '7 table 1: 401': (walk) => expectAll(walk, { appEnvId: walk.source.appEnvId }, { status: 401 }, null),
  async '7 table 1: 403'(walk) {
    const { token } = await walk.user({ account: await walk.account() })
    await expectAll(walk, { appEnvId: walk.source.appEnvId }, { status: 403 }, token)
  },
  async '7 table 1: 404'(walk) {
    await expectAll(walk, { appEnvId: 'env_unknown' }, { status: 404 })
    await expectAll(walk, { envName: 'unknown' }, { status: 404 })
  },
  async '7 table 2: 404'(walk) {
    const accountId = await walk.account()
    const { userId, token } = await walk.user({ account: accountId })
    await walk.call('DELETE', '/account/member', { query: { accountId, userId } })
    for (const path of ['/apps', '/app-envs']) expect((await walk.call('GET', path, { token })).status).toBe(404)
  },
  async '7 table 2: 401'(walk) {
    for (const path of ['/apps', '/app-envs']) expect((await walk.call('GET', path, { token: null })).status).toBe(401)
  },
}

/** §8 and §9. */
export const others: Checks = {
  async '8 rule 2'(walk) {
    const { presets } = (await walk.call('GET', '/database-presets')).body
    expect(presets).toHaveLength(7)
    for (const { limits } of presets)
      for (const limit of [limits.disk, limits.containers])
        expect(limit).toEqual({ min: expect.any(Number), default: expect.any(Number), max: expect.any(Number) })
  },
  async '9 rule 1'(walk) {
    const { servers } = (await walk.call('GET', '//openapi.json')).body
    expect(servers).toEqual([{ url: '/api/public/v1' }])
  },
  async '9 rule 2'(walk) {
    const { appEnvId } = await walk.deployed()
    const { activities } = (await walk.call('GET', '/app-env/history', { query: { appEnvId } })).body
    expect(activities.map((activity: { version: number }) => activity.version)).toEqual([2, 1])
    for (const { contentId } of activities) expect(contentId).toMatch(/^con_/)
  },
}
