import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveRest } from '../../support/rest.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let call: ReturnType<typeof serveRest>['call']

beforeAll(async () => {
  world = await createWorld()
  call = serveRest(world).call
})

afterAll(() => world.close())

const PASSWORD = 'correct-horse-battery'
const data = { registry: 'registry.example.com', username: 'ann', password: PASSWORD }

const create = (fields: Record<string, unknown> = {}, token = world.adminToken) =>
  call('POST', '/credential', {
    token,
    body: { accountId: world.accountId, type: 'CONTAINER_REGISTRY', name: 'ghcr', data, ...fields },
  })

describe('a credential', () => {
  test('never shows its secret again, in no answer, event or audit entry', async () => {
    const created = await create()
    expect(Object.keys(created.body)).toEqual(['credentialId', 'checkedAt', 'warning'])
    const { credentialId } = created.body
    const read = await call('GET', '/credential', { query: { credentialId } })
    expect(read.body).toMatchObject({
      type: 'CONTAINER_REGISTRY',
      name: 'ghcr',
      data: { registry: 'registry.example.com', username: 'ann' },
    })
    const changed = await call('PUT', '/credential', { body: { credentialId, data: { ...data, username: 'bob' } } })
    expect(changed.body.data).toEqual({ registry: 'registry.example.com', username: 'bob' })
    const list = await call('GET', '/credentials')
    const rows = await world.database.$queryRaw<unknown[]>`
      SELECT to_json(e)::text FROM event e UNION ALL SELECT to_json(a)::text FROM audit_entry a UNION ALL SELECT to_json(c)::text FROM credential c`
    for (const text of [read.text, changed.text, list.text, JSON.stringify(rows)]) expect(text).not.toContain(PASSWORD)
  })

  test('decrypts to the original data in the vault', async () => {
    const { credentialId } = (await create()).body
    const credential = await world.database.credential.findUniqueOrThrow({
      where: { id: credentialId },
      include: { account: true },
    })
    expect(world.vault.forAccount(credential.account).openCredential(credentialId, credential.sealedData)).toEqual(data)
  })

  test('has the fields of its type', async () => {
    const bad = await create({ type: 'OBJECT_STORAGE' })
    expect(bad.body.errors).toEqual(
      expect.arrayContaining([
        { field: 'data.accessKeyId', message: 'is required' },
        { field: 'data.username', message: 'is not a field of OBJECT_STORAGE credentials' },
      ]),
    )
    expect(bad.text).not.toContain(PASSWORD)
    expect((await create({ type: 'BASIC_AUTH', data: { username: 'a', password: 'b' } })).status).toBe(200)
  })

  test('is managed by authorized members, and refused elsewhere', async () => {
    const technical = await world.user({ roles: ['TECHNICAL'] })
    expect((await create({}, technical.token)).body).toMatchObject({ status: 403, reason: 'ROLE_MISSING' })
    const manager = await world.user({ roles: ['MANAGE_CREDENTIALS'] })
    expect((await create({}, manager.token)).status).toBe(200)
    const basic = (await create({ type: 'BASIC_AUTH', data: { username: 'a', password: 'b' } })).body.credentialId
    const appId = await world.app()
    const wrong = await call('PATCH', '/app', { body: { appId, imagePullAccountSecretId: basic } })
    expect(wrong.body.errors[0]).toEqual({
      field: 'imagePullAccountSecretId',
      message: 'must be a CONTAINER_REGISTRY credential',
    })
  })

  test('is kept while an app refers to it', async () => {
    const { credentialId } = (await create()).body
    const appId = await world.app({ imagePullAccountSecretId: credentialId })
    const refused = await call('DELETE', '/credential', { query: { credentialId } })
    expect(refused.body).toMatchObject({ status: 409, reason: 'CREDENTIAL_IN_USE' })
    await call('PATCH', '/app', { body: { appId, imagePullAccountSecretId: '' } })
    expect((await call('DELETE', '/credential', { query: { credentialId } })).status).toBe(200)
  })
})
