import { setTimeout as pause } from 'node:timers/promises'
import { startClients } from '../e2e/clients.ts'
import { awaitInvariants } from './harness/invariants.ts'
import type { SmallDisk } from './harness/small-disk.ts'
import { begin, createSubject, ended, finish } from './harness/subject.ts'
import type { TestCluster } from './harness/test-cluster.ts'

const FULL_MS = 6_000
const RECOVERY_SECONDS = 30
const REQUEST_PAUSE_MS = 50

export interface FullDiskReport {
  accepted: number
  refused: number
  requests: number
  recoveredSeconds: number
}

/**
 * The disk under the database, the data directories and the logs fills up, and has room again later. Calls are
 * accepted or refused with a retry; there is no other answer, no process dies, and apps answer throughout.
 */
export async function fillDisk(cluster: TestCluster, disk: SmallDisk): Promise<FullDiskReport> {
  const subject = await createSubject(cluster, 'Crowded')
  await finish(cluster, 'deploy-image', subject, { image: cluster.image })
  await awaitInvariants(cluster)
  const deaths = () => cluster.processes.map(({ name, deaths }) => `${name} ${deaths}`).join(', ')
  const before = deaths()
  const requests = startClients(`http://127.0.0.1:${cluster.ports.ingress[0]}`, subject.host, 1, REQUEST_PAUSE_MS)
  const report = { accepted: 0, refused: 0, requests: 0, recoveredSeconds: 0 }
  disk.fill()
  using _room = { [Symbol.dispose]: () => disk.free() }
  const until = Date.now() + FULL_MS
  while (Date.now() < until) {
    const { status, text } = await tryOnce(cluster, subject.appEnvId)
    if (status === 200) report.accepted += 1
    else if (status === 503) report.refused += 1
    else throw new Error(`On a full disk: ${status} ${text}`)
    await pause(100)
  }
  disk.free()
  const since = performance.now()
  const operation = await ended(cluster, await begin(cluster, 'redeploy', subject), RECOVERY_SECONDS)
  if (operation.status !== 'SUCCEEDED') throw new Error(`After the disk had room: ${JSON.stringify(operation)}`)
  report.recoveredSeconds = (performance.now() - since) / 1000
  await awaitInvariants(cluster, RECOVERY_SECONDS)
  const { failures, byVersion } = await requests.stop()
  if (failures.length > 0) throw new Error(`${failures.length} requests failed, such as ${failures[0]}`)
  report.requests = [...byVersion.values()].reduce((sum, count) => sum + count, 0)
  if (deaths() !== before) throw new Error(`Processes died: ${before} before, ${deaths()} now`)
  return report
}

async function tryOnce(cluster: TestCluster, appEnvId: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${cluster.ports.api[0]}/api/public/v1/app-env/redeploy`, {
    method: 'POST',
    headers: { authorization: cluster.token, 'content-type': 'application/json' },
    body: JSON.stringify({ appEnvId }),
  })
  return { status: response.status, text: await response.text() }
}

/** The engine's own disk fills up: the deployment is tried again, and succeeds once there is room. */
export async function fillEngineDisk(cluster: TestCluster, disk: SmallDisk): Promise<string> {
  const subject = await createSubject(cluster, 'Cramped')
  await finish(cluster, 'deploy-image', subject, { image: cluster.image })
  disk.fill()
  using _room = { [Symbol.dispose]: () => disk.free() }
  const operationId = await begin(cluster, 'redeploy', subject)
  await pause(FULL_MS / 2)
  const { rows } = await cluster.pool.query<{ message: string | null }>('SELECT message FROM operation WHERE id = $1', [
    operationId,
  ])
  disk.free()
  const operation = await ended(cluster, operationId, RECOVERY_SECONDS * 2)
  if (operation.status !== 'SUCCEEDED') throw new Error(`After the engine had room: ${JSON.stringify(operation)}`)
  await awaitInvariants(cluster, RECOVERY_SECONDS)
  return rows[0]?.message ?? 'it was quicker than the disk'
}
