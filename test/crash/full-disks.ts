import { setTimeout as pause } from 'node:timers/promises'
import { startVisitors } from '../e2e/clients.ts'
import { settle } from './harness/invariants.ts'
import type { SmallDisk } from './harness/small-disk.ts'
import { begin, createSubject, ended, finish } from './harness/subject.ts'
import type { Laboratory } from './harness/test-cluster.ts'

const FULL_MS = 6_000
const RECOVERY_SECONDS = 30
const VISIT_PAUSE_MS = 50

export interface FullDiskReport {
  accepted: number
  refused: number
  visits: number
  recoveredSeconds: number
}

/**
 * The disk under the database, the data directories and the logs fills up, and has room again later. Calls are
 * accepted or told to come back; nobody is told anything else, no process dies, and apps answer throughout.
 */
export async function fillDisk(lab: Laboratory, disk: SmallDisk): Promise<FullDiskReport> {
  const subject = await createSubject(lab, 'Crowded')
  await finish(lab, 'deploy-image', subject, { image: lab.image })
  await settle(lab)
  const deaths = () => lab.processes.map(({ name, deaths }) => `${name} ${deaths}`).join(', ')
  const before = deaths()
  const visits = startVisitors(`http://127.0.0.1:${lab.ports.ingress[0]}`, subject.host, 1, VISIT_PAUSE_MS)
  const report = { accepted: 0, refused: 0, visits: 0, recoveredSeconds: 0 }
  disk.fill()
  using _room = { [Symbol.dispose]: () => disk.free() }
  const until = Date.now() + FULL_MS
  while (Date.now() < until) {
    const { status, text } = await tryOnce(lab, subject.appEnvId)
    if (status === 200) report.accepted += 1
    else if (status === 503) report.refused += 1
    else throw new Error(`On a full disk: ${status} ${text}`)
    await pause(100)
  }
  disk.free()
  const since = performance.now()
  const operation = await ended(lab, await begin(lab, 'redeploy', subject), RECOVERY_SECONDS)
  if (operation.status !== 'SUCCEEDED') throw new Error(`After the disk had room: ${JSON.stringify(operation)}`)
  report.recoveredSeconds = (performance.now() - since) / 1000
  await settle(lab, RECOVERY_SECONDS)
  const { failures, byVersion } = await visits.stop()
  if (failures.length > 0) throw new Error(`${failures.length} visits failed, such as ${failures[0]}`)
  report.visits = [...byVersion.values()].reduce((sum, count) => sum + count, 0)
  if (deaths() !== before) throw new Error(`Processes died: ${before} before, ${deaths()} now`)
  return report
}

async function tryOnce(lab: Laboratory, appEnvId: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${lab.ports.api[0]}/api/public/v1/app-env/redeploy`, {
    method: 'POST',
    headers: { authorization: lab.token, 'content-type': 'application/json' },
    body: JSON.stringify({ appEnvId }),
  })
  return { status: response.status, text: await response.text() }
}

/** The engine's own disk fills up: the deployment is tried again, and succeeds once there is room. */
export async function fillEngineDisk(lab: Laboratory, disk: SmallDisk): Promise<string> {
  const subject = await createSubject(lab, 'Cramped')
  await finish(lab, 'deploy-image', subject, { image: lab.image })
  disk.fill()
  using _room = { [Symbol.dispose]: () => disk.free() }
  const operationId = await begin(lab, 'redeploy', subject)
  await pause(FULL_MS / 2)
  const { rows } = await lab.pool.query<{ message: string | null }>('SELECT message FROM operation WHERE id = $1', [
    operationId,
  ])
  disk.free()
  const operation = await ended(lab, operationId, RECOVERY_SECONDS * 2)
  if (operation.status !== 'SUCCEEDED') throw new Error(`After the engine had room: ${JSON.stringify(operation)}`)
  await settle(lab, RECOVERY_SECONDS)
  return rows[0]?.message ?? 'it was quicker than the disk'
}
