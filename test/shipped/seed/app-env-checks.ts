import { expect } from 'vitest'
import { type Check, type Checks, expectType, fieldsOf, type Walk } from './walk.ts'

const RESOURCES = new Set(['containers', 'zClouds', 'cpu', 'memory'])

/** §2.4, and its table of resources. */
export const checkAppEnvField: Check = async (walk, { cells: [field = '', type] }) => {
  const { appId, appEnvId } = walk.source
  const { appEnvs } = (await walk.call('GET', '/app-envs', { query: { appId } })).body
  const item = appEnvs.find((candidate: { appEnvId: string }) => candidate.appEnvId === appEnvId)
  const value = RESOURCES.has(field) ? item.resources[field] : item[field]
  expectType(value, type, field)
  if (field === 'memory') expect(value).toBe(512)
  expect(item).not.toHaveProperty('envVars')
  if (field === 'status') await checkListStatuses(walk)
  if (field === 'cliEnvName')
    expect((await walk.call('GET', '/app-env', { query: { envName: value } })).body.appEnvId).toBe(appEnvId)
}

async function checkListStatuses(walk: Walk): Promise<void> {
  const { appId, appEnvId } = await walk.deployed()
  const listed = async () => (await walk.call('GET', '/app-envs', { query: { appId } })).body.appEnvs[0].status
  expect(await listed()).toBe('running')
  await walk.lifecycle('stop', { appEnvId })
  // Later it may have ended already.
  expect(['updating', 'stopped']).toContain(await listed())
  await walk.finish(appEnvId)
  expect(await listed()).toBe('stopped')
}

/** §2.5. */
export const checkLifecycleField: Check = async (walk, { cells: [field = '', type, about = ''] }) => {
  const { appEnvId, first } = await walk.deployed()
  const isRollback = field === 'rollbackInfo'
  const { body } = isRollback
    ? await walk.lifecycle('rollback', { appEnvId })
    : await walk.lifecycle('stop', { appEnvId })
  expectType(body[field], type, field)
  if (field === 'success') expect(body.success).toBe(true)
  // `appEnvId (String), name (String), …`: the inner fields and their types, in the seed's spelling.
  for (const [, inner = '', innerType] of about.matchAll(/(\w+) \((String|Number)\)/g))
    expectType(body[field][inner], innerType, inner)
  if (field === 'appEnv') expect(Object.keys(body.appEnv)).toEqual(['appEnvId', 'name', 'status'])
  if (isRollback) expect(body.rollbackInfo).toEqual({ fromVersion: 2, toVersion: 1, contentId: first })
  else expect(body).not.toHaveProperty('rollbackInfo')
}

/** §3: each transition, from the state that the row names. */
export const transitions: Checks = {
  async 'any addressable environment → POST deploy-image'(walk) {
    const { appEnvId } = await walk.appEnv()
    const running = await walk.deployed()
    const stopped = await walk.deployed()
    await walk.lifecycle('stop', { appEnvId: stopped.appEnvId })
    await walk.finish(stopped.appEnvId)
    const functionApp = await walk.appEnv({ app: { dockerPreset: 'FUNCTION', useImage: false, image: undefined } })
    for (const id of [appEnvId, appEnvId, running.appEnvId, stopped.appEnvId, functionApp.appEnvId]) {
      await expectUpdating(walk, 'deploy-image', { appEnvId: id, image: walk.images[0] })
    }
    const source = await walk.lifecycle('deploy-image', { appEnvId: walk.source.appEnvId, image: walk.images[0] })
    expect(source.body).toMatchObject({ status: 409, reason: 'IMAGE_NOT_ENABLED' })
  },
  async 'any addressable environment → POST build'(walk) {
    const { appEnvId } = await walk.builtFromGit()
    await expectUpdating(walk, 'build', { appEnvId })
    await expectUpdating(walk, 'build', { appEnvId, forceNewBuild: true })
    const { body } = await walk.call('GET', '/app-env/status', { query: { appEnvId } })
    expect(body.latestDeployment).toMatchObject({ type: 'BUILD', gitBranch: 'main', version: 2 })
  },
  async 'any addressable environment → POST redeploy'(walk) {
    const { appEnvId, first } = await walk.deployed()
    await expectUpdating(walk, 'redeploy', { appEnvId })
    await walk.finish(appEnvId)
    await expectUpdating(walk, 'redeploy', { appEnvId, contentId: first })
    expect(await imageOnItsWay(walk, appEnvId)).toBe(walk.images[0])
  },
  async 'any addressable environment → POST rollback'(walk) {
    const { appEnvId, second } = await walk.deployed()
    await expectUpdating(walk, 'rollback', { appEnvId })
    expect(await imageOnItsWay(walk, appEnvId)).toBe(walk.images[0])
    await walk.finish(appEnvId)
    await expectUpdating(walk, 'rollback', { appEnvId, targetContentId: second })
    expect(await imageOnItsWay(walk, appEnvId)).toBe(walk.images[1])
  },
  async 'running environment → POST stop'(walk) {
    const { appEnvId } = await walk.deployed()
    await expectUpdating(walk, 'stop', { appEnvId })
  },
  async 'UPDATING (after stop) → stop completes'(walk) {
    const { appEnvId } = await walk.deployed()
    await walk.lifecycle('stop', { appEnvId })
    await walk.finish(appEnvId)
    expect(await walk.statusOf(appEnvId)).toBe('STOPPED')
  },
  async 'stopped environment → POST start'(walk) {
    const { appEnvId, second } = await stopped(walk)
    await expectUpdating(walk, 'start', { appEnvId })
    const operations: { kind: string; contentId: string }[] = await walk.operationsOf(appEnvId)
    expect(operations).toContainEqual(expect.objectContaining({ kind: 'START', contentId: second }))
  },
  async 'UPDATING (after start) → start completes'(walk) {
    const { appEnvId } = await stopped(walk)
    await walk.lifecycle('start', { appEnvId })
    await walk.finish(appEnvId)
    expect(await walk.statusOf(appEnvId)).toBe('RUNNING')
  },
}

export async function stopped(walk: Walk) {
  const place = await walk.deployed()
  await walk.lifecycle('stop', { appEnvId: place.appEnvId })
  await walk.finish(place.appEnvId)
  return place
}

export async function expectUpdating(
  walk: Walk,
  operation: string,
  body: { appEnvId: string; [field: string]: unknown },
) {
  const answer = await walk.lifecycle(operation, body)
  expect([answer.status, answer.body.appEnv?.status], JSON.stringify(answer.body)).toEqual([200, 'UPDATING'])
  return answer.body
}

async function imageOnItsWay(walk: Walk, appEnvId: string): Promise<string> {
  const { body } = await walk.call('GET', '/app-env/status', { query: { appEnvId } })
  return body.latestDeployment.containerImage
}

const placeFor = (walk: Walk, operation: string): Promise<{ appEnvId: string }> => {
  if (operation === 'start') return stopped(walk)
  return operation === 'build' ? walk.builtFromGit() : walk.deployed()
}

/** §4.1: path, addressing by id and by name, the extra fields, and the response column. */
export const checkLifecycleOperation: Check = async (
  walk,
  { cells: [name = '', path = '', extra = '', response = ''] },
) => {
  const operation = path.split('/').at(-1) ?? ''
  const required: Record<string, unknown> =
    operation === 'deploy-image' ? { image: 'registry.example/team/shop:1' } : {}
  const promised = response.split(', ')
  for (const byName of [false, true]) {
    const place = await placeFor(walk, operation)
    const { cliEnvName } = (await walk.call('GET', '/app-env', { query: { appEnvId: place.appEnvId } })).body
    const address = byName ? { envName: cliEnvName } : { appEnvId: place.appEnvId }
    const { status, body } = await walk.lifecycle(operation, { ...address, ...required })
    expect([status, Object.keys(body), body.appEnv.status], name).toEqual([200, promised, 'UPDATING'])
  }
  expect((await walk.lifecycle(operation, required)).status).toBe(400)
  for (const [, field = ''] of extra.matchAll(/(\w+) \((?:String|Boolean)/g)) {
    const { appEnvId } = await walk.deployed()
    expect(fieldsOf((await walk.lifecycle(operation, { appEnvId, ...required, [field]: 7 })).body)).toEqual([field])
  }
}
