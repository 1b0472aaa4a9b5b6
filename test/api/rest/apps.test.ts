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

describe('an app', () => {
  test('is created, read, changed and deleted', async () => {
    const created = await call('POST', '/app', { body: { name: 'Shop', accountId: world.accountId, port: 3000 } })
    expect(created.status).toBe(200)
    expect(Object.keys(created.body)).toEqual(['appId'])
    const { appId } = created.body

    const read = await call('GET', '/app', { query: { appId } })
    expect(read.body).toMatchObject({
      appId,
      name: 'Shop',
      slug: 'shop',
      dockerPreset: 'CUSTOM',
      port: 3000,
      builder: 'DOCKER',
    })

    const changed = await call('PATCH', '/app', { body: { appId, port: 4000 } })
    expect(changed.body).toEqual({ appId, name: 'Shop', dockerPreset: 'CUSTOM', port: 4000, environmentsAffected: 0 })

    const deleted = await call('DELETE', '/app', { query: { appId } })
    expect(deleted.body).toEqual({ message: expect.any(String) })
    expect((await call('GET', '/app', { query: { appId } })).status).toBe(404)
  })

  test('says in a list whether it belongs to the current account', async () => {
    const other = await world.account()
    await world.app({ name: 'Here' })
    await world.app({ name: 'There', accountId: other })
    const own = await call('GET', '/apps')
    expect(own.body.apps).toContainEqual(expect.objectContaining({ name: 'Here', isCurrent: true }))
    const foreign = await call('GET', '/apps', { query: { accountId: other } })
    expect(foreign.body.apps).toEqual([expect.objectContaining({ name: 'There', isCurrent: false })])
    expect(foreign.body.apps[0].createdAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  })

  test.each([
    [
      'file:///srv/shop.git',
      /^must begin with https:\/\/ or http:\/\/: files of this machine \(file:\/\/\) are not read/,
    ],
    ['git@github.com:acme/shop.git', /^must begin with https:\/\/ or http:\/\/: SSH is not supported/],
  ])('from the repository %s is refused in those words', async (gitRepo, message) => {
    const { status, body } = await call('POST', '/app', {
      body: { name: 'Local', accountId: world.accountId, port: 80, gitRepo },
    })
    expect(status).toBe(400)
    expect(body.errors).toEqual([{ field: 'gitRepo', message: expect.stringMatching(message) }])
  })

  test('from GitHub shows its repository in full', async () => {
    const app = { name: 'Half', accountId: world.accountId, port: 80 }
    const missing = (...fields: string[]) =>
      fields.map((field) => ({ field, message: 'is required for deployments from GitHub' }))
    const none = await call('POST', '/app', { body: { ...app, gitProvider: 'GITHUB' } })
    expect([none.status, none.body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(none.body.errors).toEqual(missing('gitNamespace', 'gitRepo', 'gitInstallationId'))
    const half = await call('POST', '/app', { body: { ...app, gitRepo: 'shop', gitInstallationId: '' } })
    expect(half.body.errors).toEqual(missing('gitNamespace', 'gitInstallationId'))

    // As an earlier version stored it.
    const appId = await world.app()
    await world.database.app.update({ where: { id: appId }, data: { gitProvider: 'GITHUB', gitRepo: 'shop' } })
    const source = await call('PATCH', '/app', { body: { appId, useImage: false } })
    expect(source.body.errors).toEqual(missing('gitNamespace', 'gitInstallationId'))
    expect((await call('PATCH', '/app', { body: { appId, port: 81 } })).status).toBe(200)
  })

  test('affects no environment when nothing changes', async () => {
    const { appId, appEnvId } = await world.appEnv()
    await world.deploy(appEnvId)
    const affected = async (fields: object) => {
      const { body } = await call('PATCH', '/app', { body: { appId, ...fields } })
      return body.environmentsAffected
    }
    const port = { port: 81, healthCheckHeaders: { 'X-A': '1' }, healthCheckPath: '' }
    expect([await affected(port), await affected(port), await affected({})]).toEqual([1, 0, 0])
    const image = { useImage: true, image: 'nginx:9' }
    expect([await affected(image), await affected(image)]).toEqual([1, 0])
    const { headers } = await call('GET', '/app', { query: { appId } })
    await affected(image)
    expect((await call('GET', '/app', { query: { appId } })).headers.get('etag')).toBe(headers.get('etag'))
    // What was already pending is now being applied.
    expect(await affected({ ...image, applyImmediately: true })).toBe(1)
  })

  test('may have the name of another: their slugs differ', async () => {
    const accountId = await world.account()
    const [first, second] = [await world.app({ name: 'Twin', accountId }), await world.app({ name: 'Twin', accountId })]
    const slugs = [first, second].map(async (appId) => (await call('GET', '/app', { query: { appId } })).body.slug)
    expect(await Promise.all(slugs)).toEqual(['twin', 'twin-2'])
  })

  test('refuses what the seed refuses', async () => {
    const app = { name: 'Refused', accountId: world.accountId, port: 80 }
    const both = { ...app, dockerfilePath: 'Dockerfile', customDockerfileContent: 'FROM scratch' }
    expect((await call('POST', '/app', { body: both })).body).toMatchObject({ status: 400, code: 'INVALID_INPUT' })
    const startup = await call('POST', '/app', { body: { ...app, startupConfig: { command: 'x' } } })
    expect(startup.body.errors).toEqual([{ field: 'startupConfig', message: 'is not a field of this call' }])
    const { appEnvId, appId } = await world.appEnv({ preventDestroy: true })
    const kept = await call('DELETE', '/app', { query: { appId } })
    expect(kept.body).toMatchObject({ status: 409, code: 'CONFLICT', reason: 'PREVENT_DESTROY' })
    expect((await call('GET', '/app-env', { query: { appEnvId } })).status).toBe(200)
  })
})

describe('a list', () => {
  test('is cut at the limit, and continues from the cursor without a gap', async () => {
    const accountId = await world.account()
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1) ids.push(await world.app({ accountId }))
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const query: Record<string, string> = { accountId, limit: '2', ...(cursor ? { cursor } : {}) }
      const { body } = await call('GET', '/apps', { query })
      seen.push(...body.apps.map((app: { appId: string }) => app.appId))
      cursor = body.nextCursor
      expect('nextCursor' in body).toBe(seen.length < 5)
    } while (cursor)
    // Newest first.
    expect(seen).toEqual(ids.toReversed())
  })

  test.each([
    [{ limit: '0' }, 'limit'],
    [{ limit: '1001' }, 'limit'],
    [{ limit: 'many' }, 'limit'],
    [{ cursor: 'nonsense' }, 'cursor'],
    [{ colour: 'red' }, 'colour'],
    [{ ['__proto__']: 'x' }, '__proto__'],
    [{ accountId: 'a\0b' }, 'accountId'],
  ])('refuses the query %j by name', async (query, field) => {
    const { status, body } = await call('GET', '/apps', {
      query: Object.fromEntries(Object.entries(query)) as Record<string, string>,
    })
    expect(status).toBe(400)
    expect(body.errors.map((error: { field: string }) => error.field)).toEqual([field])
  })

  test('is 404 for a caller without a current account who names none', async () => {
    const { userId } = await world.user()
    await world.database.user.update({ where: { id: userId }, data: { currentAccountId: null } })
    const { token } = await world.token({ userId })
    for (const path of ['/apps', '/app-envs']) {
      expect((await call('GET', path, { token })).body).toMatchObject({ status: 404, reason: 'NO_CURRENT_ACCOUNT' })
    }
  })
})
