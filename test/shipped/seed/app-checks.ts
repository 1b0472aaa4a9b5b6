import { expect } from 'vitest'
import type { SeedRow } from './seed.ts'
import { type Check, type Checks, expectType, fieldsOf, type Walk, wrongFor } from './walk.ts'

const create = (walk: Walk, fields: Record<string, unknown>) =>
  walk.call('POST', '/app', { body: { name: 'Walk', accountId: walk.accountId, port: 80, ...fields } })

const read = async (walk: Walk, appId: string) => (await walk.call('GET', '/app', { query: { appId } })).body

/** Creates an app with these fields, and reads it. */
async function created(walk: Walk, fields: Record<string, unknown>) {
  const { status, body } = await create(walk, fields)
  expect(status, JSON.stringify(body)).toBe(200)
  return read(walk, body.appId)
}

const expectRefused = async (answer: ReturnType<typeof create>, field: string) => {
  const { status, body } = await answer
  expect([status, fieldsOf(body)]).toEqual([400, [field]])
}

const GITHUB = { gitNamespace: 'acme', gitRepo: 'shop', gitInstallationId: '1' }

/** Checks specific to a field of §2.1; the type of every field is checked anyway. */
const creation: Record<string, (walk: Walk) => Promise<unknown>> = {
  name: (walk) => expectRefused(create(walk, { name: undefined }), 'name'),
  accountId: (walk) => expectRefused(create(walk, { accountId: undefined }), 'accountId'),
  async port(walk) {
    await expectRefused(create(walk, { port: undefined }), 'port')
    expect((await created(walk, { port: undefined, dockerPreset: 'JOB' })).port).toBeNull()
    expect((await created(walk, { port: 3000 })).port).toBe(3000)
  },
  async dockerPreset(walk) {
    expect((await created(walk, {})).dockerPreset).toBe('CUSTOM')
    const presets =
      'NEXT_JS REMIX VITE VUE_JS EXPRESS NODE_JS_INSTALL_START NODE_JS_INSTALL_BUILD_START ANGULAR METEOR_JS CUSTOM FUNCTION JOB'
    for (const dockerPreset of presets.split(' '))
      expect((await created(walk, { dockerPreset })).dockerPreset).toBe(dockerPreset)
    await expectRefused(create(walk, { dockerPreset: 'next_js' }), 'dockerPreset')
  },
  async dockerPresetVersion(walk) {
    const versions = { METEOR_JS: 'METEOR_JS_3_5', NEXT_JS: 'NEXT_JS_NODE_JS_22', EXPRESS: 'EXPRESS_NODE_JS_20' }
    for (const [dockerPreset, dockerPresetVersion] of Object.entries(versions))
      await created(walk, { dockerPreset, dockerPresetVersion })
    for (const dockerPresetVersion of ['NEXT_JS_22', 'EXPRESS_NODE_JS_9'])
      await expectRefused(create(walk, { dockerPreset: 'EXPRESS', dockerPresetVersion }), 'dockerPresetVersion')
  },
  async useImage(walk) {
    expect((await created(walk, { useImage: true, image: walk.images[0] })).useImage).toBe(true)
    expect((await created(walk, {})).useImage).toBe(false)
  },
  async gitNamespace(walk) {
    expect(await created(walk, GITHUB)).toMatchObject({ ...GITHUB, gitProvider: 'GITHUB' })
    await expectRefused(create(walk, { ...GITHUB, gitNamespace: undefined }), 'gitNamespace')
  },
  gitRepo: (walk) => expectRefused(create(walk, { ...GITHUB, gitRepo: undefined }), 'gitRepo'),
  gitInstallationId: (walk) =>
    expectRefused(create(walk, { ...GITHUB, gitInstallationId: undefined }), 'gitInstallationId'),
  image: (walk) => expectRefused(create(walk, { useImage: true, image: undefined }), 'image'),
  buildArgs: (walk) => created(walk, { buildArgs: 'A=1' }),
  async contextDir(walk) {
    expect((await created(walk, {})).contextDir).toBe('./')
    expect((await created(walk, { contextDir: './web' })).contextDir).toBe('./web')
  },
  async dockerfilePath(walk) {
    expect((await created(walk, {})).dockerfilePath).toBe('Dockerfile')
    expect((await created(walk, { dockerfilePath: 'web/Dockerfile' })).dockerfilePath).toBe('web/Dockerfile')
  },
  async customDockerfileContent(walk) {
    const app = await created(walk, { customDockerfileContent: 'FROM scratch' })
    expect([app.customDockerfileContentInUse, app.dockerfilePath]).toEqual([true, null])
  },
  async isCliDeployment(walk) {
    expect((await created(walk, { isCliDeployment: true })).isCliDeployment).toBe(true)
  },
  async jobConfig(walk) {
    await created(walk, { dockerPreset: 'JOB', port: undefined, jobConfig: { command: 'run' } })
    await expectRefused(create(walk, { jobConfig: { command: 'run' } }), 'jobConfig')
  },
}

export const checkCreationField: Check = async (walk, { cells: [field = '', type] }) => {
  expect(fieldsOf((await create(walk, { [field]: wrongFor(type) })).body)).toContain(field)
  const particular = creation[field]
  if (!particular) throw new Error(`The walk does not know the field ${field}`)
  await particular(walk)
}

/** §2.2 and §2.3: the field exists, in this letter case and with this type. */
export const checkAppField: Check = async (walk, { section, cells: [field = '', type] }) => {
  const { appId } = walk.source
  const list = (await walk.call('GET', '/apps')).body.apps
  const item = list.find((app: { appId: string }) => app.appId === appId)
  const record = section === '2.2' ? await read(walk, appId) : item
  if (field === 'template' && !('template' in record)) return
  expectType(record[field], type, field)
  if (field === 'isCurrent') expect(record.isCurrent).toBe(true)
}

export const appEndpoints: Checks = {
  async 'POST /api/public/v1/app'(walk) {
    const { status, body } = await create(walk, {})
    expect([status, Object.keys(body), typeof body.appId]).toEqual([200, ['appId'], 'string'])
  },
  async 'GET /api/public/v1/app'(walk) {
    const { appId } = walk.source
    const { status, body } = await walk.call('GET', '/app', { query: { appId } })
    expect([status, body.appId]).toEqual([200, appId])
    expect((await walk.call('GET', '/app')).status).toBe(400)
  },
  async 'PATCH /api/public/v1/app'(walk, row) {
    const { status, body } = await walk.call('PATCH', '/app', { body: { appId: walk.source.appId, buildArgs: 'A=1' } })
    expect([status, Object.keys(body)]).toEqual([200, promisedFields(row)])
    expect(body.environmentsAffected).toBe(1)
  },
  async 'DELETE /api/public/v1/app'(walk) {
    const appId = await walk.app()
    const { status, body } = await walk.call('DELETE', '/app', { query: { appId } })
    expect([status, Object.keys(body), typeof body.message]).toEqual([200, ['message'], 'string'])
    expect((await walk.call('GET', '/app', { query: { appId } })).status).toBe(404)
  },
  async 'GET /api/public/v1/apps'(walk) {
    const accountId = await walk.account()
    await walk.app({ accountId, name: 'Elsewhere' })
    const named = await walk.call('GET', '/apps', { query: { accountId } })
    expect([named.status, Object.keys(named.body), named.body.apps.length]).toEqual([200, ['apps'], 1])
    const current = await walk.call('GET', '/apps')
    expect(current.body.apps.map((app: { name: string }) => app.name)).not.toContain('Elsewhere')
  },
  async 'GET /api/public/v1/app-envs'(walk) {
    const { accountId, appId, appEnvId } = await walk.appEnv({ accountId: await walk.account() })
    for (const query of [{ accountId }, { appId }, { accountId, appId }]) {
      const { status, body } = await walk.call('GET', '/app-envs', { query: query as Record<string, string> })
      expect([status, Object.keys(body), body.appEnvs.map((item: { appEnvId: string }) => item.appEnvId)]).toEqual([
        200,
        ['appEnvs'],
        [appEnvId],
      ])
    }
    const current = await walk.call('GET', '/app-envs')
    expect(current.body.appEnvs.map((item: { appId: string }) => item.appId)).toContain(walk.source.appId)
  },
}

/** `{ appId, name, … (Number) }` of an output column. */
const promisedFields = ({ cells }: SeedRow): string[] =>
  (cells[3] ?? '').match(/[A-Za-z]+(?=[,} ])(?!\))/g)?.filter((word) => /^[a-z]/.test(word)) ?? []
