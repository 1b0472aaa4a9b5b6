import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestCluster } from './test-cluster.ts'

/** Each finds what must not be, in the words of its column. */
const QUERIES: Record<string, string> = {
  'operations that have not ended': `
    SELECT id || ' ' || kind || ' ' || status AS found FROM operation WHERE status IN ('QUEUED', 'RUNNING')`,
  'environments that are UPDATING': `SELECT id AS found FROM app_env WHERE status = 'UPDATING' AND deleted_at IS NULL`,
  'gaps in version numbers': `
    SELECT e.id AS found FROM app_env e LEFT JOIN content c ON c.app_env_id = e.id
    GROUP BY e.id HAVING count(c.id) <> e.last_version OR coalesce(max(c.version), 0) <> e.last_version`,
  'versions under way in no operation': `
    SELECT id || ' ' || status AS found FROM content WHERE status IN ('QUEUED', 'BUILDING', 'DEPLOYING')`,
  'environments whose version was never deployed': `
    SELECT e.id || ' ' || c.status AS found FROM app_env e JOIN content c ON c.id = e.current_content_id
    WHERE c.status NOT IN ('DEPLOYED', 'JOB_READY')`,
  'operations without exactly one outcome event': `
    SELECT o.id || ' ' || o.kind || ' ' || count(v.type) AS found FROM operation o
    LEFT JOIN event v ON v.operation_id = o.id
      AND v.type IN ('operation.succeeded', 'operation.failed', 'operation.cancelled')
    GROUP BY o.id HAVING count(v.type) <> 1`,
  'operations without exactly one audit entry': `
    SELECT o.id || ' ' || o.kind || ' ' || count(a.id) AS found FROM operation o
    LEFT JOIN audit_entry a ON (a.details->>'operationId' = o.id OR a.details->'operationIds' ? o.id)
      AND a.action <> 'cancelOperation'
    GROUP BY o.id HAVING count(a.id) <> 1`,
  'release commands that did not run exactly once': `
    SELECT r.content_id || ' ' || count(DISTINCT a.container_id) || ' ' || count(l.message) AS found FROM job_run r
    LEFT JOIN job_attempt a ON a.run_id = r.id LEFT JOIN container c ON c.container_id = a.container_id
    LEFT JOIN log_line l ON l.container_id = c.id AND l.message = 'released' WHERE r.trigger = 'RELEASE'
    GROUP BY r.content_id HAVING count(DISTINCT r.id) <> 1 OR count(a.number) <> 1 OR count(l.message) <> 1`,
  'gaps in the sequence of events': `
    SELECT event_sequence_id AS found FROM event GROUP BY event_sequence_id HAVING count(*) <> max(sequence) - min(sequence) + 1`,
  'replicas that are neither wanted nor draining': `
    SELECT r.name AS found FROM replica r JOIN app_env e ON e.id = r.app_env_id
    WHERE r.rollout_id IS DISTINCT FROM e.rollout_id OR r.index >= e.replicas_desired OR r.state <> 'READY'`,
}

interface WantedReplicas {
  appEnvId: string
  rolloutId: string
  index: number
  host: string
}

const WANTED = `
  SELECT e.id AS "appEnvId", e.rollout_id AS "rolloutId", i AS index, h.host FROM app_env e
  CROSS JOIN LATERAL generate_series(0, e.replicas_desired - 1) AS i
  LEFT JOIN LATERAL (SELECT host FROM host WHERE app_env_id = e.id LIMIT 1) h ON true
  WHERE e.deleted_at IS NULL AND e.status = 'RUNNING'`

const EVERY_QUERY = Object.entries(QUERIES)
  .map(
    ([what, query]) => `SELECT '${what}: ' || string_agg(found, ', ') AS found FROM (${query}) q HAVING count(*) > 0`,
  )
  .join(' UNION ALL ')

/**
 * What is wrong at this moment; nothing when all is well. The engine and the files are asked once the database says
 * that nothing is under way, because most calls come before that.
 */
export async function violations(cluster: TestCluster): Promise<string[]> {
  const { rows } = await cluster.pool.query<{ found: string }>(EVERY_QUERY)
  if (rows.length > 0) return rows.map(({ found }) => found)
  const { rows: wanted } = await cluster.pool.query<WantedReplicas>(WANTED)
  const found = [...(await onTheEngine(cluster, wanted)), ...(await networks(cluster)), ...(await routes(cluster))]
  return [...found, ...(await builtImages(cluster)), ...buildDirectories(cluster)]
}

/** There as long as its account has environments: no replica. */
export const isOfAccount = (role: string | undefined) => role === 'network-holder' || role === 'builder'

async function onTheEngine({ docker, installationId }: TestCluster, wanted: WantedReplicas[]): Promise<string[]> {
  const filters = { label: [`berth.installation=${installationId}`] }
  const listed = await docker.listContainers({ all: true, filters })
  // The container of a run that has ended is kept for its time, and connections for later runs for theirs.
  const containers = listed.filter(
    ({ Labels, State }) =>
      !isOfAccount(Labels['berth.role']) && (Labels['berth.role'] !== 'run' || State === 'running'),
  )
  const replicaKey = (one: { Labels: Record<string, string> }) =>
    `${one.Labels['berth.env']} ${one.Labels['berth.operation']} ${one.Labels['berth.replica']}`
  const running = containers.filter(({ State }) => State === 'running').map(replicaKey)
  const should = wanted.map(({ appEnvId, rolloutId, index }) => `${appEnvId} ${rolloutId} ${index}`)
  const missing = should.filter((one) => !running.includes(one))
  const orphaned = containers.map(replicaKey).filter((one) => !should.includes(one))
  const doubled = running.filter((one, position) => running.indexOf(one) !== position)
  return [
    ...missing.map((one) => `a container is missing: ${one}`),
    ...orphaned.map((one) => `a container is orphaned: ${one}`),
    ...doubled.map((one) => `a container is doubled: ${one}`),
  ]
}

async function networks({ docker, installationId, pool }: TestCluster): Promise<string[]> {
  const filters = { label: [`berth.installation=${installationId}`] }
  const found = await docker.listNetworks({ filters })
  // An account has one, and one for each of its groups.
  const { rows } = await pool.query<{ id: string }>(
    `SELECT account_id AS id FROM app_env WHERE deleted_at IS NULL
     UNION SELECT network_group FROM app_env WHERE deleted_at IS NULL AND network_group IS NOT NULL`,
  )
  const owners = new Set(rows.map(({ id }) => id))
  const present = found.map(({ Labels }) => Labels?.['berth.group'] ?? Labels?.['berth.account'] ?? '')
  return [
    ...present.filter((id) => !owners.has(id)).map((id) => `a network is orphaned: of ${id}`),
    ...present.filter((id, position) => present.indexOf(id) !== position).map((id) => `two networks of ${id}`),
  ]
}

/** Each version that was built has one image, which is the one that it is pinned to. */
async function builtImages({ docker, installationId, pool }: TestCluster): Promise<string[]> {
  const filters = { label: [`berth.installation=${installationId}`, 'berth.role=image'] }
  const images = await docker.listImages({ filters })
  const { rows } = await pool.query<{ id: string; image: string }>(
    `SELECT id, image_digest AS image FROM content WHERE type = 'BUILD' AND image_digest IS NOT NULL`,
  )
  const contentIds = images.map(({ Labels }) => Labels['berth.content'] ?? '')
  return [
    ...rows.filter(({ image }) => !images.some(({ Id }) => Id === image)).map(({ id }) => `the image of ${id} is gone`),
    ...contentIds.filter((id, position) => contentIds.indexOf(id) !== position).map((id) => `two images of ${id}`),
  ]
}

/** A worker that was paused takes its folder away when it goes on. */
function buildDirectories(cluster: TestCluster): string[] {
  const going = cluster.of('worker').filter(({ pid }) => pid !== cluster.orders.firedBy)
  return going.flatMap(({ name }) => {
    const folder = join(cluster.folder, name, 'builds')
    const left = existsSync(folder) ? readdirSync(folder) : []
    return left.map((one) => `a folder is left of a build: ${one}`)
  })
}

/** What the ingresses have on disk is what they route by. */
async function routes(cluster: TestCluster): Promise<string[]> {
  const { rows } = await cluster.pool.query<{ host: string; targets: string }>(`
    SELECT h.host, coalesce(string_agg(r.name, ' ' ORDER BY r.name), '') AS targets FROM host h
    JOIN app_env e ON e.id = h.app_env_id AND e.deleted_at IS NULL
    LEFT JOIN replica r ON r.app_env_id = e.id AND r.state = 'READY'
    WHERE h.status = 'VALID' GROUP BY h.host ORDER BY h.host`)
  const should = JSON.stringify(rows.map(({ host, targets }) => `${host} ${targets}`))
  return cluster.of('ingress').flatMap(({ name }) => {
    const { routes } = JSON.parse(readFileSync(join(cluster.folder, name, 'ingress-table.json'), 'utf8')) as {
      routes: { host: string; targets: { name: string }[] }[]
    }
    const has = JSON.stringify(
      routes
        .map(
          ({ host, targets }) =>
            `${host} ${targets
              .map((target) => target.name)
              .sort()
              .join(' ')}`,
        )
        .sort(),
    )
    return has === should ? [] : [`the table of ${name} is ${has} and should be ${should}`]
  })
}

/** Waits until nothing is wrong; returns the seconds it took. Throws with what was wrong last. */
export async function awaitInvariants(cluster: TestCluster, seconds = 30): Promise<number> {
  const since = performance.now()
  for (;;) {
    const found = await violations(cluster).catch((error: Error) => [String(error)])
    const took = (performance.now() - since) / 1000
    if (found.length === 0) return took
    if (took > seconds) throw new Error(`After ${seconds} s still:\n  ${found.join('\n  ')}`)
    await pause(100)
  }
}
