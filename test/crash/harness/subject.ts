import { setTimeout as pause } from 'node:timers/promises'
import { sampleStartup } from '../../e2e/sample-app.ts'
import type { Laboratory } from './test-cluster.ts'

/** An environment to work on. */
export interface Subject {
  accountId: string
  appId: string
  appEnvId: string
  host: string
}

/** An app with one environment, of which nothing is deployed yet. */
export async function createSubject(lab: Laboratory, name: string, containers = 1): Promise<Subject> {
  const { accounts } = (await lab.ok('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts[0]?.accountId ?? ''
  const app = { name, accountId, port: 3000, useImage: true, image: lab.image, healthCheckPath: '/healthz' }
  const { appId } = (await lab.ok('POST', '/app', app)) as { appId: string }
  return createEnvironment(lab, { accountId, appId }, 'production', containers)
}

export async function createEnvironment(
  lab: Laboratory,
  { accountId, appId }: { accountId: string; appId: string },
  name: string,
  containers = 1,
): Promise<Subject> {
  const appEnv = { accountId, appId, name, region: 'local', containers, startupConfig: sampleStartup }
  const { appEnvId } = (await lab.ok('POST', '/app-env', appEnv)) as { appEnvId: string }
  const { hosts } = (await lab.ok('GET', `/app-env?appEnvId=${appEnvId}`)) as { hosts: string[] }
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
export async function ended(lab: Laboratory, operationId: string, seconds = 60): Promise<EndedOperation> {
  const until = Date.now() + seconds * 1000
  for (;;) {
    const found = await lab.pool
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
  lab: Laboratory,
  path: string,
  { appEnvId }: { appEnvId: string },
  fields: Record<string, unknown> = {},
): Promise<string> => lab.begin('POST', `/app-env/${path}`, { appEnvId, ...fields })

export async function finish(
  lab: Laboratory,
  path: string,
  subject: { appEnvId: string },
  fields: Record<string, unknown> = {},
): Promise<void> {
  const operation = await ended(lab, await begin(lab, path, subject, fields))
  if (operation.status !== 'SUCCEEDED') throw new Error(`${path} in preparation: ${JSON.stringify(operation)}`)
}
