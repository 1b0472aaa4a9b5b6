import { BUILD } from './build-scenario.ts'
import { begin, createEnvironment, finish, type Subject } from './subject.ts'
import type { Laboratory } from './test-cluster.ts'

/** One operation: what it needs beforehand, the calls that make it, and how it has to end. */
export interface Scenario {
  name: string
  /** The environment that it is about; most take the one that there is. */
  prepare(lab: Laboratory, subject: Subject): Promise<Subject>
  /** Ids of the operations that were begun, the last of which decides. */
  act(lab: Laboratory, subject: Subject): Promise<string[]>
  outcome: 'SUCCEEDED' | 'CANCELLED'
}

const running = async (lab: Laboratory, subject: Subject): Promise<Subject> => {
  const { status } = await lab.ok('GET', `/app-env/status?appEnvId=${subject.appEnvId}`)
  if (status === 'STOPPED') await finish(lab, 'start', subject)
  else if (status !== 'RUNNING') await finish(lab, 'deploy-image', subject, { image: lab.image })
  return subject
}

const colour = (lab: Laboratory, { appEnvId }: Subject, variables: Record<string, string>) =>
  lab.ok('PUT', '/app-env', {
    appEnvId,
    envVars: Object.entries(variables).map(([name, value]) => ({ name, value })),
  })

const one = (
  path: string,
  prepare: Scenario['prepare'] = running,
  fields: (lab: Laboratory) => object = () => ({}),
): Scenario => ({
  name: path,
  prepare,
  act: async (lab, subject) => [await begin(lab, path, subject, { ...fields(lab) })],
  outcome: 'SUCCEEDED',
})

let painted = 0

export const SCENARIOS: readonly Scenario[] = [
  BUILD,
  one('deploy-image', running, ({ image }) => ({ image })),
  one('redeploy'),
  one('rollback', async (lab, subject) => {
    await running(lab, subject)
    const { rows } = await lab.pool.query(`SELECT 1 FROM content WHERE app_env_id = $1 AND status = 'DEPLOYED'`, [
      subject.appEnvId,
    ])
    if (rows.length < 2) await finish(lab, 'deploy-image', subject, { image: lab.image })
    return subject
  }),
  one('stop'),
  one('start', async (lab, subject) => {
    await running(lab, subject)
    await finish(lab, 'stop', subject)
    return subject
  }),
  one('apply-changes', async (lab, subject) => {
    await running(lab, subject)
    painted += 1
    await colour(lab, subject, { COLOUR: `shade ${painted}` })
    return subject
  }),
  {
    name: 'cancel',
    prepare: running,
    async act(lab, subject) {
      // A version that never becomes ready is sure to be there still when it is cancelled.
      await colour(lab, subject, { BROKEN: 'never' })
      const operationId = await begin(lab, 'deploy-image', subject, { image: lab.image })
      await lab.ok('POST', '/operation/cancel', { operationId })
      await colour(lab, subject, { COLOUR: 'plain' })
      return [operationId]
    },
    outcome: 'CANCELLED',
  },
  {
    name: 'delete',
    async prepare(lab, subject) {
      painted += 1
      const doomed = await createEnvironment(lab, subject, `doomed-${painted}`)
      return running(lab, doomed)
    },
    async act(lab, { appEnvId }) {
      return [await lab.begin('DELETE', `/app-env?appEnvId=${appEnvId}`)]
    },
    outcome: 'SUCCEEDED',
  },
]
