import { newId } from '../../src/domain/ids.ts'
import type { Database } from '../../src/storage/database/client.ts'
import type { NewEvent } from '../../src/storage/events/event.ts'
import { record } from '../../src/storage/events/record.ts'
import { now } from './measure.ts'

const TOKENS = 100

/** An environment to follow, tokens to follow it with, and a way to create events. */
export async function createFollowedEnvironment(database: Database, apiUrl: string, adminToken: string) {
  const call = async (path: string, body: object) => {
    const response = await fetch(`${apiUrl}/api/public/v1${path}`, {
      method: 'POST',
      headers: { authorization: adminToken, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as Record<string, string>
  }
  const { id: accountId } = await database.account.findFirstOrThrow()
  const { appId = '' } = await call('/app', { name: 'Bench', accountId, port: 80, useImage: true, image: 'nginx:1' })
  const { appEnvId = '' } = await call('/app-env', { name: 'production', accountId, appId, region: 'local' })
  const tokens: string[] = []
  for (let index = 0; index < TOKENS; index += 1) {
    const { token = '' } = await call('/token', { kind: 'USER', name: `Reader ${index}` })
    tokens.push(token)
  }
  const about = { appId, appEnvId, operationId: newId('op') }
  const event: NewEvent = { type: 'appEnv.statusChanged', ...about, payload: { status: 'RUNNING' } }
  const change = async () => {
    const at = now()
    await database.$transaction((tx) => record(tx, accountId, [event]))
    return at
  }
  return { appEnvId, tokens, change }
}
