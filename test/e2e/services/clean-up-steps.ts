import { deleteBackups } from './backup-steps.ts'
import type { ServiceStory } from './service-story.ts'
import type { Surroundings } from './step.ts'
import { until } from './until.ts'

const ROWS = `
  SELECT 'service_credentials ' || id AS left FROM service_credentials WHERE account_id = $1
  UNION ALL SELECT 'volume ' || id FROM volume WHERE account_id = $1
  UNION ALL SELECT 'replica ' || r.name FROM replica r JOIN app_env e ON e.id = r.app_env_id WHERE e.account_id = $1
  UNION ALL SELECT 'host ' || h.host FROM host h JOIN app_env e ON e.id = h.app_env_id WHERE e.account_id = $1
  UNION ALL SELECT 'port ' || x.port FROM external_access x JOIN app_env e ON e.id = x.app_env_id
    WHERE e.account_id = $1 AND x.port IS NOT NULL
  UNION ALL SELECT 'backup ' || id FROM backup WHERE account_id = $1
  UNION ALL SELECT 'variable ' || v.name FROM variable v JOIN app_env e ON e.id = v.app_env_id WHERE e.account_id = $1`

/** Everything of the account that exists somewhere. */
async function leftOf(story: ServiceStory, surroundings: Surroundings): Promise<string[]> {
  const { cluster, accountId } = story
  const { docker, installationId, pool } = cluster
  const filters = { label: [`berth.installation=${installationId}`, `berth.account=${accountId}`] }
  const [containers, networks, volumes, { rows }] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    surroundings.leftOf(accountId),
    pool.query<{ left: string }>(ROWS, [accountId]),
  ])
  return [
    ...containers.map(({ Names }) => `container ${Names[0]}`),
    ...networks.map(({ Name }) => `network ${Name}`),
    ...volumes.map((name) => `volume ${name} of the engine`),
    ...rows.map(({ left }) => left),
  ]
}

async function deleteVolumes(story: ServiceStory): Promise<void> {
  for (const { volumeId, isAttached } of await story.volumes())
    if (!isAttached) await story.cluster.ok('DELETE', `/volume?volumeId=${volumeId}`)
}

/** One service, with its volume, and no container that is still to be removed. */
function isSettled(left: readonly string[]): boolean {
  const count = (what: RegExp) => left.filter((one) => what.test(one)).length
  const services = [/^service_credentials /, /^volume vol_/, /^volume berth-\S+ of the engine$/]
  return services.every((what) => count(what) === 1) && count(/^container /) === count(/^replica /)
}

/** Nothing is left of a service beside the story's own. */
export async function runCycles(story: ServiceStory, surroundings: Surroundings): Promise<void> {
  await story.expectRows()
  const settled = () =>
    until(
      'only the service of the story is left',
      async () => (await leftOf(story, surroundings)).toSorted(),
      isSettled,
    )
  await deleteVolumes(story)
  const atFirst = await settled()
  for (let cycle = 0; cycle < surroundings.cycles; cycle += 1) {
    const service = await story.createService()
    await story.deleteApp(service)
    await deleteVolumes(story)
  }
  await until(
    `nothing is left of ${surroundings.cycles} cycles`,
    async () => (await leftOf(story, surroundings)).toSorted(),
    (left) => JSON.stringify(left) === JSON.stringify(atFirst),
  )
  await story.expectRows()
}

export async function expectNothingLeft(story: ServiceStory, surroundings: Surroundings): Promise<void> {
  await story.close()
  const { apps } = await story.cluster.ok('GET', `/apps?accountId=${story.accountId}`)
  for (const app of apps as { appId: string }[]) await story.deleteApp(app)
  await deleteVolumes(story)
  await deleteBackups(story)
  await until(
    'nothing is left',
    () => leftOf(story, surroundings),
    ({ length }) => length === 0,
  )
}
