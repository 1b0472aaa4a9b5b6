import { setTimeout as pause } from 'node:timers/promises'
import { BUILD } from './harness/build-scenario.ts'
import { begin, type EndedOperation, ended, type Subject } from './harness/subject.ts'
import type { TestCluster } from './harness/test-cluster.ts'

export interface LostReport {
  /** How many workers the harmful operation ended. */
  deaths: number
  harmful: EndedOperation & { attempt: number; isDeadLetter: boolean }
  /** What became of an operation that ran beside it. */
  beside: EndedOperation
}

/** An operation whose work ends its worker, every time, and another beside it that takes longer than the workers live. */
export async function loseEveryAttempt(cluster: TestCluster, beside: Subject): Promise<LostReport> {
  const harmful = await BUILD.prepare(cluster, beside)
  // Where what a tenant wrote is about to be read: no step has been finished yet.
  const point = { point: 'build-directory.created', subject: harmful.appEnvId, pass: 1 } as const
  const arm = (number: number) => cluster.orders.arm(point, 'SIGKILL', `lost ${number}`)
  await cluster.ok('PUT', '/app-env', { appEnvId: beside.appEnvId, envVars: [{ name: 'BROKEN', value: 'late' }] })
  let deaths = 0
  arm(deaths)
  const slow = await begin(cluster, 'deploy-image', beside, { image: cluster.image })
  const [id = ''] = await BUILD.act(cluster, harmful)
  let hasEnded = false
  const ending = ended(cluster, id, 150).finally(() => {
    hasEnded = true
  })
  while (!hasEnded) {
    if (cluster.orders.isFired) {
      deaths += 1
      arm(deaths)
    }
    await pause(20)
  }
  cluster.orders.disarm()
  const operation = await ending
  const { rows } = await cluster.pool.query(
    'SELECT attempt, is_dead_letter AS "isDeadLetter" FROM operation WHERE id = $1',
    [id],
  )
  return { deaths, harmful: { ...operation, ...rows[0] }, beside: await ended(cluster, slow, 150) }
}
