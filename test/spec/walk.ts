import { expect } from 'vitest'
import { listen } from '../../src/server/listen.ts'
import { caller, serveRest } from '../support/rest.ts'
import { createWorld } from '../support/world.ts'
import type { SeedRow } from './seed.ts'

export type Walk = Awaited<ReturnType<typeof startWalk>>

/** Checks one row of the seed against the running server. */
export type Check = (walk: Walk, row: SeedRow) => Promise<void>

export type Checks = Record<string, Check>

/** A listening server, and an installation that has a value for every kind of field. */
export async function startWalk() {
  const world = await createWorld()
  const { api } = serveRest(world)
  const listening = await listen({ api, host: '127.0.0.1', port: 0 })
  const call = caller((path, init) => fetch(listening.url + path, init), world.adminToken)
  const github = { gitNamespace: 'acme', gitRepo: 'shop', gitInstallationId: '12345' }
  const dockerfile = { dockerPreset: 'NODE', dockerfilePath: 'web/Dockerfile' }
  const app = { name: 'Source', useImage: false, image: undefined, ...dockerfile, ...github }
  const source = await world.appEnv({ app, branch: 'main' })
  return {
    ...world,
    call,
    /** Built from GitHub, so that the git fields have values. */
    source,
    /** A second app built from GitHub. */
    builtFromGit: () => world.appEnv({ app, branch: 'main' }),
    /** Deployed twice, so that every operation is possible. */
    async deployed(fields: Record<string, unknown> = {}) {
      const place = await world.appEnv(fields)
      const first = await world.deploy(place.appEnvId, 'nginx:1')
      const second = await world.deploy(place.appEnvId, 'nginx:2')
      return { ...place, first, second }
    },
    lifecycle: (operation: string, body: unknown, token?: string | null) =>
      call('POST', `/app-env/${operation}`, { body, ...(token === undefined ? {} : { token }) }),
    /** Ends the environment's open operation. */
    async finish(appEnvId: string) {
      for (const { id, status } of await world.operationsOf(appEnvId))
        if (status === 'QUEUED') await world.endOperation(id)
    },
    /** The status in a list (lower case) and in the status record (upper case). */
    async statusOf(appEnvId: string) {
      const { body } = await call('GET', '/app-env/status', { query: { appEnvId } })
      return body.status
    },
    async close() {
      // Every request is answered: nothing to linger for.
      listening.server.closeIdleConnections()
      await listening.close()
      await world.close()
    },
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
