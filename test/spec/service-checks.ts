import { expect } from 'vitest'
import { fieldsOf, type Walk } from './walk.ts'

const PRESETS = ['MONGODB', 'POSTGRESQL', 'MYSQL', 'REDIS', 'COUCHDB', 'RABBITMQ', 'CLICKHOUSE']

const newDatabase = (walk: Walk, fields: Record<string, unknown> = {}) =>
  walk.call('POST', '/app', { body: { name: 'Db', accountId: walk.accountId, dockerPreset: 'COUCHDB', ...fields } })

async function newService(walk: Walk, fields: Record<string, unknown> = {}) {
  const { appId } = (await newDatabase(walk, fields)).body
  return { accountId: walk.accountId, appId, name: 'production', region: 'local' }
}

/** §1: the managed-service presets, each with credentials and both addresses. */
export async function checkServices(walk: Walk): Promise<void> {
  const { presets } = (await walk.call('GET', '/database-presets')).body
  expect(presets.map((preset: { dockerPreset: string }) => preset.dockerPreset).sort()).toEqual([...PRESETS].sort())
  for (const dockerPreset of PRESETS) {
    const created = await walk.call('POST', '/app-env', { body: await newService(walk, { dockerPreset }) })
    expect(created.status, JSON.stringify(created.body)).toBe(200)
    const { body } = await walk.call('GET', '/app-env/credentials', { query: { appEnvId: created.body.appEnvId } })
    expect(Object.keys(body)).toEqual(['username', 'password', 'database', 'internalUrl', 'externalUrl', 'readOnlyUrl'])
    expect(body.internalUrl, dockerPreset).toContain(body.password)
  }
}

/** §1 and §9: the older names lead to the same type. */
export async function checkOlderNames(walk: Walk): Promise<void> {
  for (const named of [
    { appType: 'db' },
    { appType: 'Database' },
    { appType: 'DB' },
    { isDatabase: true },
    { Database: true },
    { DB: true },
    {},
  ]) {
    const { status, body } = await newDatabase(walk, named)
    expect(status, JSON.stringify(body)).toBe(200)
    expect((await walk.call('GET', '/app', { query: { appId: body.appId } })).body.appType).toBe('db')
  }
  expect(fieldsOf((await newDatabase(walk, { appType: 'app' })).body)).toEqual(['appType'])
}

/** §8: CouchDB has one container. */
export async function checkSingleNode(walk: Walk): Promise<void> {
  const body = { ...(await newService(walk)), containers: 2 }
  const refused = await walk.call('POST', '/app-env', { body })
  expect([refused.status, fieldsOf(refused.body)]).toEqual([400, ['containers']])
  expect((await walk.call('POST', '/app-env', { body: { ...body, containers: 1 } })).status).toBe(200)
}

/** §4.2: what runs goes with the app, and its data does not. */
export async function checkKeptVolumes(walk: Walk): Promise<void> {
  const service = await newService(walk, { dockerPreset: 'RABBITMQ' })
  const { appEnvId } = (await walk.call('POST', '/app-env', { body: service })).body
  await walk.finish(appEnvId)
  expect((await walk.call('DELETE', '/app', { query: { appId: service.appId } })).status).toBe(200)
  const { volumes } = (await walk.call('GET', '/volumes')).body
  expect(volumes).toContainEqual(expect.objectContaining({ appEnvId, isAttached: false }))
}
