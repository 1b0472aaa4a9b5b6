import { expect } from 'vitest'
import { documentedBy } from '../../support/documented-answer.ts'
import type { Answer, Call } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { programImage } from '../support/images.ts'
import { sharedBerth } from '../support/shared-berth.ts'
import { unique } from '../support/user.ts'
import type { SeedRow } from './seed.ts'

export type Walk = Awaited<ReturnType<typeof startWalk>>

/** Checks one row of the seed against the running server. */
export type Check = (walk: Walk, row: SeedRow) => Promise<void>

export type Checks = Record<string, Check>

type Fields = Record<string, unknown>

/** How many environments are deployed before a row asks for one. */
const DEPLOYED_AHEAD = 4

/** A running Berth, and what rows need in it: all of it is made by calls that a user has. */
export async function startWalk() {
  const [berth, first, second] = await Promise.all([sharedBerth(), programImage('1'), programImage('2')])
  const accountId = await berth.accountId()
  const call = await documentedCall(berth.call)

  const post = async (path: string, body: Fields) => {
    const answer = await call('POST', path, { body })
    if (answer.status !== 200) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  const app = async (fields: Fields = {}): Promise<string> => {
    const usual = { name: unique('app'), accountId, port: 3000, useImage: true, image: first }
    return (await post('/app', { ...usual, ...fields })).appId
  }
  /** An environment of a new app, which runs images unless `app` says otherwise. */
  const appEnv = async ({ app: appFields = {}, ...fields }: Fields & { app?: Fields } = {}) => {
    const account = { accountId: String(fields.accountId ?? appFields.accountId ?? accountId) }
    const appId = await app({ ...account, ...appFields })
    const { appEnvId } = await post('/app-env', { ...account, appId, name: 'production', region: 'local', ...fields })
    return { ...account, appId, appEnvId: String(appEnvId) }
  }
  const operationsOf = async (appEnvId: string) =>
    (await call('GET', '/operations', { query: { appEnvId } })).body.operations
  /** Waits until nothing is under way in an environment. */
  const finish = (appEnvId: string) =>
    eventually(
      `no operation of ${appEnvId} is under way`,
      () => operationsOf(appEnvId),
      (operations) => operations.every(({ finishedAt }: { finishedAt: string | null }) => finishedAt !== null),
    )
  const deploy = async (appEnvId: string, image: string): Promise<string> => {
    await berth.post('/app-env/deploy-image', { appEnvId, image })
    return (await call('GET', '/app-env/status', { query: { appEnvId } })).body.currentContentId
  }
  /** Deployed twice, so that every operation is possible. */
  const deployTwice = async (fields: Fields = {}) => {
    const created = await appEnv(fields)
    const contents = [await deploy(created.appEnvId, first), await deploy(created.appEnvId, second)]
    return { ...created, first: contents[0] ?? '', second: contents[1] ?? '' }
  }
  const ready = Array.from({ length: DEPLOYED_AHEAD }, () => deployTwice())

  const token = async (fields: Fields = {}): Promise<{ tokenId: string; token: string }> =>
    post('/token', { kind: 'USER', name: unique('token'), ...fields })

  /** Ids of installations that end with the walk. */
  const installed = new Set<string>()
  const github = { gitNamespace: 'acme', gitRepo: 'shop', gitInstallationId: '12345' }
  const dockerfile = { dockerPreset: 'NODE', dockerfilePath: 'web/Dockerfile' }
  const fromGit = { app: { useImage: false, image: undefined, ...dockerfile, ...github }, branch: 'main' }

  return {
    call,
    accountId,
    adminToken: berth.adminToken,
    images: [first, second] as const,
    app,
    appEnv,
    finish,
    operationsOf,
    token,
    installed,
    /** Built from GitHub, so that the git fields have values. */
    source: await appEnv(fromGit),
    /** A second app built from GitHub. */
    builtFromGit: () => appEnv(fromGit),
    deployed(fields?: Fields) {
      if (fields) return deployTwice(fields)
      ready.push(deployTwice())
      return ready.shift() ?? deployTwice()
    },
    /** A member of an account, with a token. */
    async user({ roles = ['TECHNICAL'], account = accountId }: { roles?: string[]; account?: string } = {}) {
      const email = `${unique('user').replace(' ', '-')}@example.com`
      const { userId } = await post('/account/member', { accountId: account, email, roles })
      return { userId: String(userId), ...(await token({ userId })) }
    },
    account: async (fields: Fields = {}): Promise<string> =>
      (await post('/account', { name: unique('account'), ...fields })).accountId,
    lifecycle: (operation: string, body: unknown, asked?: string | null) =>
      call('POST', `/app-env/${operation}`, { body, ...(asked === undefined ? {} : { token: asked }) }),
    /** The status in the status record, in upper case. */
    async statusOf(appEnvId: string) {
      const { body } = await call('GET', '/app-env/status', { query: { appEnvId } })
      return body.status
    },
    async close() {
      for (const installationId of installed)
        await call('DELETE', '/solutions/installation', { query: { installationId } })
      // So that what was deployed ahead ends before Berth does.
      await Promise.allSettled(ready)
    },
  }
}

type AnyCall = (method: string, path: string, call?: Call) => Promise<Answer>

/** The same calls, each answer compared with the OpenAPI document that Berth serves. */
async function documentedCall(call: AnyCall): Promise<AnyCall> {
  const { body: document } = await call('GET', '//openapi.json')
  const expectDocumented = documentedBy(document)
  return async (method, path, given = {}) => {
    const answer = await call(method, path, given)
    if (!path.startsWith('//')) expectDocumented(method, `/api/public/v1${path}`, answer)
    return answer
  }
}

const IS_OF_TYPE: Record<string, (value: unknown) => boolean> = {
  String: (value) => typeof value === 'string',
  Number: (value) => typeof value === 'number',
  Boolean: (value) => typeof value === 'boolean',
  Date: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value),
  Object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'Array of String': (value) =>
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string'),
}

/** The seed's own words for types decide. */
export function expectType(value: unknown, type: string | undefined, name: string): void {
  const isOfType = IS_OF_TYPE[type ?? '']
  if (!isOfType) throw new Error(`The seed's type ${type} is not known to the walk`)
  expect(isOfType(value), `${name} is a ${type}, not ${JSON.stringify(value)}`).toBe(true)
}

/** A value of another type than the seed's. */
export const wrongFor = (type: string | undefined): unknown => (type === 'String' ? 7 : 'wrong')

export const fieldsOf = (body: { errors?: { field: string }[] }): string[] =>
  (body.errors ?? []).map((error) => error.field)
