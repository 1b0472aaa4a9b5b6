import { expect } from 'vitest'
import { type Check, fieldsOf, type Walk, wrongFor } from './walk.ts'

const update = (walk: Walk, appId: string, fields: Record<string, unknown>) =>
  walk.call('PATCH', '/app', { body: { appId, ...fields } })

const stored = async (walk: Walk, appId: string) => (await walk.call('GET', '/app', { query: { appId } })).body

type Fields = Record<string, unknown>

/** Sets the field, and checks the result; then clears it if the seed says how. */
async function sets(walk: Walk, app: Fields, fields: Fields, cleared?: [Fields, Fields]) {
  const appId = await walk.app(app)
  const { status, body } = await update(walk, appId, fields)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(await stored(walk, appId)).toMatchObject(fields)
  if (!cleared) return appId
  expect((await update(walk, appId, cleared[0])).status).toBe(200)
  expect(await stored(walk, appId)).toMatchObject(cleared[1])
  return appId
}

const SOURCE = { useImage: false, image: undefined }

async function registryCredential(walk: Walk): Promise<string> {
  const { body } = await walk.call('POST', '/credential', {
    body: {
      accountId: walk.accountId,
      type: 'CONTAINER_REGISTRY',
      name: 'hub',
      data: { registry: 'registry.example.com', username: 'u', password: 'p' },
    },
  })
  return body.credentialId
}

const setsCredential = async (walk: Walk, field: string) => {
  const credentialId = await registryCredential(walk)
  await sets(walk, {}, { [field]: credentialId }, [{ [field]: '' }, { [field]: null }])
  expect(fieldsOf((await update(walk, await walk.app(), { [field]: 'cred_unknown' })).body)).toEqual([field])
}

const particulars: Record<string, (walk: Walk) => Promise<unknown>> = {
  async appId(walk) {
    expect(fieldsOf((await walk.call('PATCH', '/app', { body: { port: 1 } })).body)).toEqual(['appId'])
  },
  async dockerfilePath(walk) {
    const appId = await walk.app({ ...SOURCE, dockerPreset: 'EXPRESS', customDockerfileContent: 'FROM scratch' })
    await update(walk, appId, { dockerPreset: 'CUSTOM' })
    expect((await stored(walk, appId)).dockerfilePath).toBe('Dockerfile')
    const both = await update(walk, appId, { dockerfilePath: 'a/Dockerfile', customDockerfileContent: 'FROM scratch' })
    expect([both.status, fieldsOf(both.body)]).toEqual([400, ['dockerfilePath']])
  },
  customDockerfileContent: (walk) => sets(walk, SOURCE, { customDockerfileContent: 'FROM scratch' }),
  async dockerPreset(walk) {
    for (const dockerPreset of ['CUSTOM', 'NODE', 'METEOR', 'PYTHON']) await sets(walk, SOURCE, { dockerPreset })
  },
  port: (walk) => sets(walk, {}, { port: 3001 }),
  async builder(walk) {
    for (const builder of ['DOCKER', 'NIXPACKS']) await sets(walk, SOURCE, { builder })
  },
  contextDir: (walk) => sets(walk, SOURCE, { contextDir: './api' }),
  buildArgs: (walk) => sets(walk, SOURCE, { buildArgs: 'A=1' }),
  useImage: (walk) => sets(walk, {}, { useImage: false }),
  async image(walk) {
    await sets(walk, SOURCE, { useImage: true, image: walk.images[1] })
    const alone = await update(walk, await walk.app(SOURCE), { image: walk.images[1] })
    expect([alone.status, fieldsOf(alone.body)]).toEqual([400, ['image']])
  },
  healthCheckPath: (walk) =>
    sets(walk, {}, { healthCheckPath: '/ok' }, [{ healthCheckPath: '' }, { healthCheckPath: null }]),
  healthCheckPort: (walk) => sets(walk, {}, { healthCheckPort: 9000 }),
  healthCheckHeaders: (walk) =>
    sets(walk, {}, { healthCheckHeaders: { 'X-A': '1' } }, [{ healthCheckHeaders: {} }, { healthCheckHeaders: null }]),
  imagePullAccountSecretId: (walk) => setsCredential(walk, 'imagePullAccountSecretId'),
  buildPullAccountSecretId: (walk) => setsCredential(walk, 'buildPullAccountSecretId'),
  async jobConfig(walk) {
    await sets(walk, { dockerPreset: 'JOB', port: undefined }, { jobConfig: { command: 'run' } })
    const { body } = await update(walk, await walk.app(), { jobConfig: { command: 'run' } })
    expect(fieldsOf(body)).toEqual(['jobConfig'])
  },
  async applyImmediately(walk) {
    const { appId, appEnvId } = await walk.deployed()
    await update(walk, appId, { port: 3001 })
    expect(await walk.statusOf(appEnvId)).toBe('RUNNING')
    await update(walk, appId, { port: 3002, applyImmediately: true })
    expect(await walk.statusOf(appEnvId)).toBe('UPDATING')
  },
}

/** §4.2, body of PATCH /app. */
export const checkUpdateField: Check = async (walk, { cells: [field = '', type] }) => {
  const { body } = await update(walk, walk.source.appId, { [field]: wrongFor(type) })
  expect(fieldsOf(body)).toContain(field)
  const particular = particulars[field]
  if (!particular) throw new Error(`The walk does not know the field ${field}`)
  await particular(walk)
}
