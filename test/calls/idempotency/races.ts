import { createSubject } from '../../crash/harness/subject.ts'
import type { TestCluster } from '../../crash/harness/test-cluster.ts'
import { expectThat, inParallel, newKey, overGraphQL, overRest, untilTaken, type Write } from './calls.ts'
import type { Log } from './keys.ts'

type Resource = 'app' | 'app-env'

interface Race {
  resource: Resource
  name: string
  write: Write
  /** What the writers disagree on. */
  change(writer: string): Record<string, unknown>
  /** The version that is there now. */
  version(): Promise<number>
}

/** Fifty writers that have all read the same version: one wins, the others get a conflict. Every round. */
export async function raceVersions(
  cluster: TestCluster,
  { rounds, resources }: { rounds: number; resources: readonly Resource[] },
  log: Log,
): Promise<void> {
  for (const { resource, name, write, change, version } of await races(cluster)) {
    if (!resources.includes(resource)) continue
    for (let round = 0; round < rounds; round += 1) {
      const expected = await version()
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, number) =>
          untilTaken(() => write(number, { expected, change: change(`${round}-${number}`) })),
        ),
      )
      const statuses = replies.map(({ status }) => status)
      const won = statuses.filter((status) => status === 200).length
      const lost = statuses.filter((status) => status === 412).length
      expectThat(won === 1 && lost === 49, `One of fifty wins (${name}, round ${round})`, { won, lost, statuses })
      const after = await version()
      expectThat(after === expected + 1, 'One change was made', { expected, after })
    }
    log(`${rounds} rounds of 50 racing over ${name}: one wins each, 49 × 412`)
  }
  await raceOperations(cluster, log)
}

async function races(cluster: TestCluster): Promise<Race[]> {
  const { appId, appEnvId } = await createSubject(cluster, 'Raced')
  const versionIn = (table: string, id: string) => async () =>
    Number((await cluster.pool.query(`SELECT version FROM ${table} WHERE id = $1`, [id])).rows[0].version)
  const ofAppEnv = {
    resource: 'app-env' as const,
    version: versionIn('app_env', appEnvId),
    change: (writer: string) => ({ name: `by ${writer}` }),
  }
  const ofApp = {
    resource: 'app' as const,
    version: versionIn('app', appId),
    change: (writer: string) => ({ healthCheckPath: `/${writer}` }),
  }
  return [
    { name: 'PUT /app-env', write: overRest(cluster, 'PUT', '/app-env', { appEnvId }), ...ofAppEnv },
    { name: 'updateAppEnv', write: overGraphQL(cluster, 'updateAppEnv', 'appEnv { id }', { appEnvId }), ...ofAppEnv },
    { name: 'PATCH /app', write: overRest(cluster, 'PATCH', '/app', { appId }), ...ofApp },
    { name: 'updateApp', write: overGraphQL(cluster, 'updateApp', 'app { id }', { appId }), ...ofApp },
  ]
}

/** Of operations too: fifty deployments of what the caller has seen are one. */
async function raceOperations(cluster: TestCluster, log: Log): Promise<void> {
  const { appEnvId } = await createSubject(cluster, newKey('Raced'))
  const input = { appEnvId, image: cluster.image }
  const apis = [
    overRest(cluster, 'POST', '/app-env/deploy-image', input),
    overGraphQL(cluster, 'deployImage', 'success', input),
  ]
  for (const [round, write] of apis.entries()) {
    const replies = await inParallel(50, write, { expected: round + 1 })
    const won = replies.filter(({ status }) => status === 200).length
    expectThat(
      won === 1,
      'One deployment is begun',
      replies.map(({ status }) => status),
    )
  }
  log('50 racing deployments of one version of the environment, over each API: one is begun')
}
