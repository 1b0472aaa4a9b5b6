import { expect } from 'vitest'
import { advanceInstallations } from '../../src/services/solution/advance-installations.ts'
import type { Checks, Walk } from './walk.ts'

const now = { prefer: 'wait=0' }

const request = (walk: Walk, fields: Record<string, unknown> = {}) => ({
  ...{ accountId: walk.accountId, solutionSlug: 'wordpress', appName: 'Blog', region: 'local', ...fields },
})

const install = (walk: Walk, body: Record<string, unknown>, token = walk.adminToken) =>
  walk.call('POST', '/solutions', { body, token, headers: now })

export const catalogue: Checks[string] = async (walk) => {
  const { status, body } = await walk.call('GET', '/solutions', { query: { accountId: walk.accountId } })
  expect(status).toBe(200)
  for (const solution of body.solutions) {
    expect(Object.keys(solution).sort()).toEqual([
      ...['category', 'components', 'description', 'inputs', 'name', 'requiresSandbox', 'revision', 'solutionSlug'],
    ])
    for (const component of solution.components)
      expect(Object.keys(component)).toEqual(['key', 'name', 'type', 'dockerPreset', 'dependsOn'])
  }
}

/** The database of an installation has failed. */
async function failed(walk: Walk) {
  const body = request(walk, { appName: 'Broken' })
  // Its first call waits, so that nothing can end before it does.
  const waiting = walk.call('POST', '/solutions', { body, headers: { prefer: 'wait=60' } })
  const operation = { status: 'QUEUED', appEnv: { app: { slug: { startsWith: 'broken' } } } } as const
  const found = () => walk.database.operation.findFirst({ where: operation })
  await expect.poll(found).not.toBeNull()
  await walk.endOperation((await found())?.id ?? null, 'FAILED')
  await advanceInstallations(walk)
  return { body, refused: await waiting }
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
    const before = await walk.database.app.count()
    const inputs = { password: 'a long password' }
    const { body } = await install(walk, request(walk, { solutionSlug: 'code-server', inputs }))
    expect(body).toMatchObject({ status: 403, reason: 'SANDBOX_NOT_READY' })
    expect(await walk.database.app.count()).toBe(before)
  },
  async '4.3 rule 3'(walk) {
    const { body, refused } = await failed(walk)
    expect(refused.body).toMatchObject({ status: 502, code: 'INSTALLATION_INCOMPLETE' })
    const { installationId } = refused.body
    const before = await walk.database.app.count()
    expect((await install(walk, { ...body, installationId })).body.installationId).toBe(installationId)
    expect(await walk.database.app.count()).toBe(before)
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
