import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { authorised } from '../support/authorization.ts'
import { createTestDatabase } from '../support/database.ts'
import { startGitHubUsers } from '../support/github-users.ts'
import { createGraphQLWorld } from '../support/graphql-world.ts'
import { meteredDay } from '../support/metered-day.ts'
import { endedDelivery } from '../support/webhook-delivery.ts'
import { fragments } from './fragments.ts'
import { createRecorder, type Recorder } from './recorder.ts'

export type Fixture = Awaited<ReturnType<typeof openFixture>>

/** One part of the calls, in a fresh installation. */
export type Script = (fixture: Fixture) => Promise<void>

type Fields = Record<string, unknown>

export const UNKNOWN = '01h455vb4pex5vsknk084sn02q'

/** The whole API on a database of its own, with users in it, and a recorder in front. */
export async function openFixture(settings: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'berth-recorded-'))
  const held = await createTestDatabase({ poolSize: 10 })
  const gitHub = await startGitHubUsers()
  const { BERTH_GITHUB_URL: _cloneUrl, ...gitHubApp } = gitHub.settings
  const world = await createGraphQLWorld({ held, settings: { BERTH_DATA_DIR: folder, ...gitHubApp, ...settings } })
  const origin = new URL(world.url).origin

  /** A call that is not recorded. */
  async function ask(method: string, path: string, fields: Fields) {
    const isRead = method === 'GET'
    const query = isRead ? `?${new URLSearchParams(fields as Record<string, string>)}` : ''
    const response = await fetch(`${origin}/api/public/v1${path}${query}`, {
      method,
      headers: { authorization: world.adminToken, 'content-type': 'application/json' },
      ...(isRead ? {} : { body: JSON.stringify(fields) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
    return { headers: response.headers, body: (await response.json()) as any }
  }
  const make = async (path: string, fields: Fields) => (await ask('POST', path, fields)).body

  async function person(name: string, accountId: string, roles: string[]): Promise<string> {
    const { userId } = await make('/account/member', { accountId, email: `${name}@example.com`, roles })
    const { token } = await make('/token', { kind: 'USER', name: `Token of ${name}`, userId })
    return token
  }

  const { accountId } = world
  const elsewhere = (await make('/account', { name: 'Elsewhere' })).accountId as string
  const tokens: Record<string, string> = {
    admin: world.adminToken,
    reader: await person('reader', accountId, ['AUDIT']),
    technical: await person('technical', accountId, ['TECHNICAL']),
    stranger: await person('stranger', elsewhere, ['ADMIN']),
    nobody: 'nobody-knows-this-token',
  }
  // Each is used once, so that all have a time of last use from the start.
  for (const authorization of Object.values(tokens))
    await fetch(`${origin}/api/public/v1/user/token`, { headers: { authorization } })
  const recorder: Recorder = createRecorder({ origin, tokens, fragments })

  const app = async (fields: Fields = {}): Promise<string> =>
    (await make('/app', { name: 'Shop', accountId, port: 8080, useImage: true, image: 'shop:1', ...fields })).appId

  return {
    ...recorder,
    accountId,
    elsewhere,
    origin,
    databaseUrl: held.url,
    ask,
    app,
    /** An environment of the app; nothing runs in it yet. */
    appEnv: async (appId: string, fields: Fields = {}): Promise<string> =>
      (await make('/app-env', { accountId, appId, name: 'production', region: 'local', ...fields })).appEnvId,
    /** Deploys an image and ends the operation, as a worker would. */
    async deploy(appEnvId: string, image = 'shop:1') {
      const { headers } = await ask('POST', '/app-env/deploy-image', { appEnvId, image })
      const operationId = operationOf(headers)
      await world.endOperation(operationId)
      const { body } = await ask('GET', '/operation', { operationId })
      return { operationId, contentId: body.contentId as string }
    },
    /** The containers of an environment are there, as a worker would have recorded them. */
    async seeContainers(appEnvId: string) {
      await world.database.replica.updateMany({ where: { appEnvId }, data: { containerId: '5c2f1e0b9a74' } })
    },
    /** Every route of v1, such as `GET /apps`, from the server's own document. */
    async routes(): Promise<string[]> {
      const { paths } = (await (await fetch(`${origin}/openapi.json`)).json()) as { paths: Record<string, object> }
      return Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace('/api/public/v1', '')}`),
      )
    },
    /** The fields of Query or Mutation, by name. */
    async rootFields(type: 'Query' | 'Mutation'): Promise<string[]> {
      const { data } = await world.query(`{ __type(name: "${type}") { fields { name } } }`)
      return data.__type.fields.map(({ name }: { name: string }) => name).sort()
    },
    /** Ends an operation as a worker would. */
    finish: (operationId: string, outcome?: 'SUCCEEDED' | 'FAILED' | 'DEAD_LETTER') =>
      world.endOperation(operationId, outcome),
    /** Ends a backup as a worker would, but for its file. */
    async finishBackup(backupKey: string, operationId: string) {
      const written = { file: `${backupKey}-1.backup`, sizeBytes: 1024n, sha256: 'a'.repeat(64), sealedKey: 'sealed' }
      const finishedAt = new Date()
      await world.database.backup.update({
        where: { id: backupKey },
        data: { ...written, status: 'AVAILABLE', finishedAt },
      })
      await world.endOperation(operationId)
    },
    /** Completes an installation as workers would, of a revision before the present one. */
    async finishInstallation(id: string) {
      await world.database.solutionInstallation.update({ where: { id }, data: { status: 'INSTALLED', revision: 0 } })
    },
    /** A day of usage, as workers leave it. */
    meterDay: (where: Parameters<typeof meteredDay>[1]) => meteredDay(world.database, where),
    /** A user lets an application act for them, on the page of consent. */
    authorise: async () => (await authorised(world)).authorizationId,
    /** A delivery that has failed, as workers leave it. */
    endDelivery: (webhookId: string) => endedDelivery(world.database, webhookId),
    async close() {
      await world.close()
      gitHub.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The id in the Operation-Location of an answer. */
export function operationOf(headers: Headers): string {
  const operationId = new URLSearchParams(headers.get('operation-location')?.split('?')[1]).get('operationId')
  if (!operationId) throw new Error('The answer names no operation')
  return operationId
}
