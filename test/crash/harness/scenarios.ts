import { BUILD } from './build-scenario.ts'
import { begin, createEnvironment, finish, type Subject } from './subject.ts'
import type { TestCluster } from './test-cluster.ts'

/** One operation: what it needs beforehand, the calls that make it, and how it has to end. */
export interface Scenario {
  name: string
  /** The environment that it is about; most take the one that there is. */
  prepare(cluster: TestCluster, subject: Subject): Promise<Subject>
  /** Ids of the operations that were begun, the last of which decides. */
  act(cluster: TestCluster, subject: Subject): Promise<string[]>
  outcome: 'SUCCEEDED' | 'CANCELLED'
}

const running = async (cluster: TestCluster, subject: Subject): Promise<Subject> => {
  const { status } = await cluster.ok('GET', `/app-env/status?appEnvId=${subject.appEnvId}`)
  if (status === 'STOPPED') await finish(cluster, 'start', subject)
  else if (status !== 'RUNNING') await finish(cluster, 'deploy-image', subject, { image: cluster.image })
  return subject
}

const colour = (cluster: TestCluster, { appEnvId }: Subject, variables: Record<string, string>) =>
  cluster.ok('PUT', '/app-env', {
    appEnvId,
    envVars: Object.entries(variables).map(([name, value]) => ({ name, value })),
  })

const one = (
  path: string,
  prepare: Scenario['prepare'] = running,
  fields: (cluster: TestCluster) => object = () => ({}),
): Scenario => ({
  name: path,
  prepare,
  act: async (cluster, subject) => [await begin(cluster, path, subject, { ...fields(cluster) })],
  outcome: 'SUCCEEDED',
})

/** Its line in the log is counted by the invariants. */
const RELEASE = { command: 'node', args: ['-e', `console.log('released')`], shell: false }

let painted = 0

export const SCENARIOS: readonly Scenario[] = [
  BUILD,
  one('deploy-image', running, ({ image }) => ({ image })),
  one('redeploy'),
  one('restart'),
  one('rollback', async (cluster, subject) => {
    await running(cluster, subject)
    const { rows } = await cluster.pool.query(`SELECT 1 FROM content WHERE app_env_id = $1 AND status = 'DEPLOYED'`, [
      subject.appEnvId,
    ])
    if (rows.length < 2) await finish(cluster, 'deploy-image', subject, { image: cluster.image })
    return subject
  }),
  one('stop'),
  one('start', async (cluster, subject) => {
    await running(cluster, subject)
    await finish(cluster, 'stop', subject)
    return subject
  }),
  one('apply-changes', async (cluster, subject) => {
    await running(cluster, subject)
    painted += 1
    await colour(cluster, subject, { COLOUR: `shade ${painted}` })
    return subject
  }),
  {
    name: 'release',
    async prepare(cluster, subject) {
      await running(cluster, subject)
      await cluster.ok('PUT', '/app-env', { appEnvId: subject.appEnvId, releaseCommand: RELEASE })
      return subject
    },
    async act(cluster, subject) {
      const operationId = await begin(cluster, 'deploy-image', subject, { image: cluster.image })
      // For later versions only.
      await cluster.ok('PUT', '/app-env', { appEnvId: subject.appEnvId, releaseCommand: null })
      return [operationId]
    },
    outcome: 'SUCCEEDED',
  },
  {
    name: 'cancel',
    prepare: running,
    async act(cluster, subject) {
      // A version that never becomes ready is sure to be there still when it is cancelled.
      await colour(cluster, subject, { BROKEN: 'never' })
      const operationId = await begin(cluster, 'deploy-image', subject, { image: cluster.image })
      await cluster.ok('POST', '/operation/cancel', { operationId })
      await colour(cluster, subject, { COLOUR: 'plain' })
      return [operationId]
    },
    outcome: 'CANCELLED',
  },
  {
    name: 'delete',
    async prepare(cluster, subject) {
      painted += 1
      const doomed = await createEnvironment(cluster, subject, `doomed-${painted}`)
      return running(cluster, doomed)
    },
    async act(cluster, { appEnvId }) {
      return [await cluster.begin('DELETE', `/app-env?appEnvId=${appEnvId}`)]
    },
    outcome: 'SUCCEEDED',
  },
]
