import { setTimeout as pause } from 'node:timers/promises'
import { sampleStartup } from '../../e2e/sample-app.ts'
import type { TestCluster } from './test-cluster.ts'

/** An environment to work on. */
export interface Subject {
  accountId: string
  appId: string
  appEnvId: string
  host: string
}

/** An app with one environment, of which nothing is deployed yet. */
export async function createSubject(cluster: TestCluster, name: string, containers = 1): Promise<Subject> {
  const { accounts } = (await cluster.ok('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts.at(-1)?.accountId ?? ''
  const app = { name, accountId, port: 3000, useImage: true, image: cluster.image, healthCheckPath: '/healthz' }
  const { appId } = (await cluster.ok('POST', '/app', app)) as { appId: string }
  return createEnvironment(cluster, { accountId, appId }, 'production', containers)
}

export async function createEnvironment(
  cluster: TestCluster,
  { accountId, appId }: { accountId: string; appId: string },
  name: string,
  containers = 1,
): Promise<Subject> {
  const appEnv = { accountId, appId, name, region: 'local', containers, startupConfig: sampleStartup }
  const { appEnvId } = (await cluster.ok('POST', '/app-env', appEnv)) as { appEnvId: string }
  const { hosts } = (await cluster.ok('GET', `/app-env?appEnvId=${appEnvId}`)) as { hosts: string[] }
  return { accountId, appId, appEnvId, host: hosts[0] ?? '' }
}

export interface EndedOperation {
  id: string
  kind: string
  status: string
  reason: string | null
  message: string | null
}

/** Waits for an operation to end; throws when it has not within the time. */
export async function ended(cluster: TestCluster, operationId: string, seconds = 60): Promise<EndedOperation> {
  const until = Date.now() + seconds * 1000
  for (;;) {
    const found = await cluster.pool
      .query<EndedOperation>('SELECT id, kind, status::text, reason, message FROM operation WHERE id = $1', [
        operationId,
      ])
      .catch(() => null)
    const operation = found?.rows[0]
    if (operation && !['QUEUED', 'RUNNING'].includes(operation.status)) return operation
    if (Date.now() > until)
      throw new Error(`${operationId} has not ended after ${seconds} s: ${JSON.stringify(operation)}`)
    await pause(40)
  }
}

/** Begins an operation; its id. */
export const begin = (
  cluster: TestCluster,
  path: string,
  { appEnvId }: { appEnvId: string },
  fields: Record<string, unknown> = {},
): Promise<string> => cluster.begin('POST', `/app-env/${path}`, { appEnvId, ...fields })

export async function finish(
  cluster: TestCluster,
  path: string,
  subject: { appEnvId: string },
  fields: Record<string, unknown> = {},
): Promise<void> {
  const operation = await ended(cluster, await begin(cluster, path, subject, fields))
  if (operation.status !== 'SUCCEEDED') throw new Error(`${path} in preparation: ${JSON.stringify(operation)}`)
}
