import { expect } from 'vitest'
import { checkKeptVolumes, checkServices } from './service-checks.ts'
import { catalogue } from './solution-checks.ts'
import { type Check, fieldsOf } from './walk.ts'

/** The seed's statements outside of its tables. */
export const sentences: [section: string, sentence: string, check: Check][] = [
  ['2.6', 'A solution is a curated catalog entry identified by solutionSlug.', catalogue],
  [
    '2.1',
    'The app creation endpoint does not accept startupConfig.',
    async (walk) => {
      const body = { name: 'S', accountId: walk.accountId, port: 80, startupConfig: { command: 'x' } }
      expect(fieldsOf((await walk.call('POST', '/app', { body })).body)).toEqual(['startupConfig'])
    },
  ],
  [
    '2.1',
    'jobConfig fields that are named: command (String), shell (Boolean), timeoutSeconds (Number), ttlSecondsAfterFinished (Number), backoffLimit (Number).',
    async (walk, row) => {
      const values: Record<string, unknown> = { String: 'run', Boolean: true, Number: 1 }
      const named = [...(row.cells[0] ?? '').matchAll(/(\w+) \((\w+)\)/g)].map(([, name, type = '']) => [
        name,
        values[type],
      ])
      await walk.app({ dockerPreset: 'JOB', port: undefined, jobConfig: Object.fromEntries(named) })
    },
  ],
  [
    '3',
    'App-level changes (PATCH app) are recorded as pending changes for every environment of the app unless applyImmediately is true',
    async (walk) => {
      const { appId, appEnvId } = await walk.deployed()
      await walk.call('PATCH', '/app', { body: { appId, port: 81 } })
      const { pendingChanges } = (await walk.call('GET', '/app-env/status', { query: { appEnvId } })).body
      expect(pendingChanges).toMatchObject({ hasDeployChanges: true, changes: [{ field: 'port', from: 3000, to: 81 }] })
    },
  ],
  [
    '4.2',
    'Delete rules: requires admin permission; blocked when any environment of the app has preventDestroy enabled',
    async (walk) => {
      const { appId } = await walk.appEnv({ preventDestroy: true })
      const { body } = await walk.call('DELETE', '/app', { query: { appId } })
      expect(body).toMatchObject({ status: 409, code: 'CONFLICT', reason: 'PREVENT_DESTROY' })
    },
  ],
  [
    '2.1',
    'Managed-service presets: one of the values returned by GET /api/public/v1/database-presets',
    (walk) => checkServices(walk),
  ],
  [
    '4.2',
    'the managed infrastructure (including RabbitMQ) is deleted while persistent database volumes are retained',
    (walk) => checkKeptVolumes(walk),
  ],
  [
    '4.4',
    'POST /api/public/v1/app-env and PUT /api/public/v1/app-env (create and update an environment, including startup command overrides)',
    async (walk) => {
      const { appEnvId } = await walk.appEnv({ startupConfig: { command: 'first' } })
      const changed = await walk.call('PUT', '/app-env', { body: { appEnvId, startupConfig: { command: 'second' } } })
      expect(changed.body.startupConfig.command).toBe('second')
    },
  ],
  [
    '4.4',
    'the credentials interface and the job-runs interface exist',
    async (walk) => {
      const { appEnvId } = await walk.appEnv()
      expect((await walk.call('GET', '/app-env/job-runs', { query: { appEnvId } })).body.jobRuns).toEqual([])
      // The credentials of services are checked with their presets.
      expect((await walk.call('GET', '/app-env/credentials', { query: { appEnvId } })).status).toBe(404)
    },
  ],
]
