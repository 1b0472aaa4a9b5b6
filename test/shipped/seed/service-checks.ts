import { expect } from 'vitest'
import { ensureService } from '../support/images.ts'
import { fieldsOf, type Walk } from './walk.ts'

const PRESETS = ['MONGODB', 'POSTGRESQL', 'MYSQL', 'REDIS', 'COUCHDB', 'RABBITMQ', 'CLICKHOUSE']

const newDatabase = (walk: Walk, fields: Record<string, unknown> = {}) =>
  walk.call('POST', '/app', { body: { name: 'Db', accountId: walk.accountId, dockerPreset: 'COUCHDB', ...fields } })

async function newService(walk: Walk, fields: Record<string, unknown> = {}) {
  const { appId } = (await newDatabase(walk, fields)).body
  return { accountId: walk.accountId, appId, name: 'production', region: 'local' }
}

/** Before its image, which may be large, is pulled from a registry: nothing here needs it to run. */
const discard = (walk: Walk, { appId }: { appId: string }) => walk.call('DELETE', '/app', { query: { appId } })

/** §1: the managed-service presets, each with credentials and both addresses. */
export async function checkServices(walk: Walk): Promise<void> {
  const { presets } = (await walk.call('GET', '/database-presets')).body
  expect(presets.map((preset: { dockerPreset: string }) => preset.dockerPreset).sort()).toEqual([...PRESETS].sort())
  for (const dockerPreset of PRESETS) {
    const service = await newService(walk, { dockerPreset })
    const created = await walk.call('POST', '/app-env', { body: service })
    expect(created.status, JSON.stringify(created.body)).toBe(200)
    const { body } = await walk.call('GET', '/app-env/credentials', { query: { appEnvId: created.body.appEnvId } })
    await discard(walk, service)
    expect(Object.keys(body)).toEqual(['username', 'password', 'database', 'internalUrl', 'externalUrl', 'readOnlyUrl'])
    expect(body.internalUrl, dockerPreset).toContain(body.password)
  }
}

/** §1 and §9: the older names lead to the same type. */
export async function checkOlderNames(walk: Walk): Promise<void> {
  const names = [{ appType: 'db' }, { appType: 'Database' }, { appType: 'DB' }]
  const flags = [{ isDatabase: true }, { Database: true }, { DB: true }]
  for (const named of [...names, ...flags, {}]) {
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
  await discard(walk, body)
}

/** §4.2: what runs goes with the app, and its data does not. */
export async function checkKeptVolumes(walk: Walk): Promise<void> {
  // The lightest of those that have a volume: all have it in the same way.
  await ensureService('REDIS')
  const service = await newService(walk, { dockerPreset: 'REDIS' })
  const { appEnvId } = (await walk.call('POST', '/app-env', { body: service })).body
  await walk.finish(appEnvId)
  expect((await discard(walk, service)).status).toBe(200)
  const { volumes } = (await walk.call('GET', '/volumes')).body
  expect(volumes).toContainEqual(expect.objectContaining({ appEnvId, isAttached: false }))
}
