import { finish, type Subject } from '../crash/harness/subject.ts'
import type { TestCluster } from '../crash/harness/test-cluster.ts'
import { FUNCTION_PROGRAM } from '../e2e/function-program.ts'
import { eventually } from '../worker/fixtures.ts'

export type Depth = 'FROZEN' | 'STOPPED' | 'NONE'
export const DEPTHS: readonly Depth[] = ['FROZEN', 'STOPPED', 'NONE']

export interface FunctionSettings {
  minScale?: number
  maxScale?: number
  concurrency?: number
  idleSeconds?: number
  timeoutSeconds?: number
}

/** A function, deployed and awake. It listens so many milliseconds after it was started. */
export async function createFunction(
  cluster: TestCluster,
  name: string,
  functionConfig: FunctionSettings,
  startMs = 0,
): Promise<Subject> {
  const { accounts } = (await cluster.ok('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts.at(-1)?.accountId ?? ''
  const app = { name, accountId, port: 3000, dockerPreset: 'FUNCTION' }
  const { appId } = (await cluster.ok('POST', '/app', app)) as { appId: string }
  const startupConfig = { command: 'node', args: ['-e', FUNCTION_PROGRAM], shell: false }
  const envVars = startMs > 0 ? [{ name: 'START_MS', value: String(startMs) }] : []
  const appEnv = { accountId, appId, name: 'production', region: 'local', startupConfig, functionConfig, envVars }
  const { appEnvId } = (await cluster.ok('POST', '/app-env', appEnv)) as { appEnvId: string }
  const { hosts } = (await cluster.ok('GET', `/app-env?appEnvId=${appEnvId}`)) as { hosts: string[] }
  const subject: Subject = { accountId, appId, appEnvId, host: hosts[0] ?? '' }
  await finish(cluster, 'deploy-image', subject, { image: cluster.image })
  return subject
}

export const ingressUrls = ({ ports }: TestCluster) => ports.ingress.map((port) => `http://127.0.0.1:${port}`)

export const containersOf = ({ docker }: TestCluster, { appEnvId }: { appEnvId: string }) =>
  docker.listContainers({ all: true, filters: { label: [`berth.env=${appEnvId}`] } })

/** The depth that is recorded; null while it is awake. */
export async function depthOf({ pool }: TestCluster, { appEnvId }: { appEnvId: string }): Promise<Depth | null> {
  const { rows } = await pool.query('SELECT depth::text FROM request_scaling WHERE app_env_id = $1', [appEnvId])
  return rows[0]?.depth ?? null
}

const STATES: Record<Depth, string> = { FROZEN: '["paused"]', STOPPED: '["exited"]', NONE: '[]' }

/** Waits until it sleeps, then lets age take it to the depth. */
export async function sleepAt(cluster: TestCluster, subject: Subject, depth: Depth): Promise<void> {
  const at = () => depthOf(cluster, subject)
  await eventually(at, (found) => found !== null)
  for (const next of DEPTHS.slice(0, DEPTHS.indexOf(depth) + 1)) {
    if (next !== 'FROZEN')
      await cluster.pool.query(
        `UPDATE request_scaling SET depth_since = now() - interval '10 years' WHERE app_env_id = $1`,
        [subject.appEnvId],
      )
    await eventually(at, (found) => found !== null && DEPTHS.indexOf(found) >= DEPTHS.indexOf(next))
  }
  const states = async () => JSON.stringify((await containersOf(cluster, subject)).map(({ State }) => State))
  await eventually(states, (found) => found === STATES[depth])
  // Nobody works on it any more: what follows is about the wake alone.
  await eventually(
    async () => (await cluster.pool.query('SELECT lease_owner FROM app_env WHERE id = $1', [subject.appEnvId])).rows[0],
    (row) => row?.lease_owner === null,
  )
}

/** Requests that each ingress process has reported as held. */
export async function heldOf({ pool }: TestCluster, { appEnvId }: Subject): Promise<number[]> {
  const { rows } = await pool.query(
    `SELECT l.waiting FROM request_load l JOIN ingress_session s ON s.id = l.ingress_id
      WHERE l.app_env_id = $1 AND s.reported_at > now() - interval '5 seconds' AND l.waiting > 0`,
    [appEnvId],
  )
  return rows.map(({ waiting }) => Number(waiting))
}
