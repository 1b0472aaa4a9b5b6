import { expect } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { unique } from '../support/user.ts'
import type { Checks, Walk } from './walk.ts'

const now = { prefer: 'wait=0' }

const request = (walk: Walk, fields: Record<string, unknown> = {}) => ({
  accountId: walk.accountId,
  solutionSlug: 'wordpress',
  appName: unique('blog'),
  region: 'local',
  ...fields,
})

/** Installs, and removes it again with the walk: nothing here waits for its images. */
async function install(walk: Walk, body: Record<string, unknown>, token = walk.adminToken) {
  const answer = await walk.call('POST', '/solutions', { body, token, headers: now })
  if (answer.status === 200) walk.installed.add(answer.body.installationId)
  return answer
}

export const catalogue: Checks[string] = async (walk) => {
  const { status, body } = await walk.call('GET', '/solutions', { query: { accountId: walk.accountId } })
  expect(status).toBe(200)
  for (const solution of body.solutions) {
    expect(Object.keys(solution).sort()).toEqual([
      'category',
      'components',
      'description',
      'inputs',
      'name',
      'requiresSandbox',
      'revision',
      'solutionSlug',
    ])
    for (const component of solution.components)
      expect(Object.keys(component)).toEqual(['key', 'name', 'type', 'dockerPreset', 'dependsOn'])
  }
}

/** An installation of which one component is cancelled by hand, as it begins. */
async function broken(walk: Walk) {
  const appName = unique('broken').replace(' ', '-')
  const body = request(walk, { appName })
  const waiting = walk.call('POST', '/solutions', { body, headers: { prefer: 'wait=120' } })
  const apps = async () => {
    const all: { appId: string; name: string }[] = (await walk.call('GET', '/apps')).body.apps
    return all.filter(({ name }) => name.startsWith(appName))
  }
  const operations = async () => {
    const found = await Promise.all(
      (await apps()).map(async ({ appId }) => {
        const { appEnvs } = (await walk.call('GET', '/app-envs', { query: { appId } })).body
        return appEnvs[0] ? walk.operationsOf(appEnvs[0].appEnvId) : []
      }),
    )
    return found.flat()
  }
  const [first] = await eventually(
    'the installation deploys its first component',
    operations,
    ({ length }) => length > 0,
  )
  await walk.call('POST', '/operation/cancel', { body: { operationId: first.operationId } })
  return { body, apps, refused: await waiting }
}

export const solutions: Checks = {
  '4.3 GET /api/public/v1/solutions': catalogue,
  async '4.3 POST /api/public/v1/solutions'(walk) {
    const { status, body } = await install(walk, request(walk))
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({
      installationId: expect.stringMatching(/^inst_/),
      components: [{ key: 'db' }, { key: 'app' }],
      appIds: body.components.map(({ appId }: { appId: string }) => appId),
      appEnvIds: body.components.map(({ appEnvId }: { appEnvId: string }) => appEnvId),
      postInstallNote: expect.stringContaining('/'),
    })
  },
  async '4.3 rule 1'(walk) {
    const { token } = await walk.user({ roles: ['TECHNICAL'] })
    expect((await install(walk, request(walk), token)).status).toBe(403)
    const admin = await walk.user({ roles: ['ADMIN'] })
    expect((await install(walk, request(walk), admin.token)).status).toBe(200)
  },
  async '4.3 rule 2'(walk) {
    const accountId = await walk.account()
    const inputs = { password: 'a long password' }
    const { body } = await install(walk, request(walk, { accountId, solutionSlug: 'code-server', inputs }))
    expect(body).toMatchObject({ status: 403, reason: 'SANDBOX_NOT_READY' })
    expect((await walk.call('GET', '/apps', { query: { accountId } })).body.apps).toEqual([])
  },
  async '4.3 rule 3'(walk) {
    const { body, apps, refused } = await broken(walk)
    expect(refused.body).toMatchObject({ status: 502, code: 'INSTALLATION_INCOMPLETE' })
    const { installationId } = refused.body
    const before = await apps()
    expect((await install(walk, { ...body, installationId })).body.installationId).toBe(installationId)
    expect(await apps()).toEqual(before)
  },
  async '4.3 rule 4'(walk) {
    const { postInstallNote } = (await install(walk, request(walk))).body
    expect(postInstallNote).toMatch(/http:\/\/default-blog[a-z0-9-]*-production\./)
  },
  async '5 rule 6'(walk) {
    for (const scopes of [
      ['svc:write:config'],
      ['svc:write:deploy'],
      ['svc:write:config', 'svc:write:deploy'],
    ] as const) {
      const { token } = await walk.token({ kind: 'SCOPED', scopes: [...scopes] })
      expect((await install(walk, request(walk), token)).status).toBe(scopes.length === 2 ? 200 : 403)
    }
  },
}
