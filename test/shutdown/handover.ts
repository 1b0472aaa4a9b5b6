import { setTimeout as sleep } from 'node:timers/promises'
import Docker from 'dockerode'
import type { Database } from '../../src/storage/database/client.ts'
import type { ApiProcess } from '../support/api-process.ts'
import { ensureTestImage } from '../support/test-image.ts'

const READY_AFTER_MS = 6_000
const PATIENCE_MS = 60_000

/** Becomes ready a while after its start, so that there is time to be interrupted in. */
const program = (readyAfterMs: number) => `
const { createServer } = require('node:http')
setTimeout(() => createServer((_, response) => response.end('ok')).listen(Number(process.env.PORT)), ${readyAfterMs})
process.on('SIGTERM', () => process.exit(0))
`
const startup = (readyAfterMs: number) => ({ command: 'node', args: ['-e', program(readyAfterMs)], shell: false })

export interface Handover {
  /** Checks what became of it, once the process that had begun it is gone; what is wrong, in words. */
  check(): Promise<string[]>
}

/** A running app, and a deployment of another one that is under way on the process that is about to end. */
export async function beginHandover({ url, token }: ApiProcess, database: Database): Promise<Handover> {
  const docker = new Docker()
  const image = await ensureTestImage(docker)
  const { id: accountId } = await database.account.findFirstOrThrow({ orderBy: { id: 'asc' } })
  const post = async (path: string, body: object, headers: object = {}): Promise<Record<string, string>> => {
    const response = await fetch(`${url}/api/public/v1${path}`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as Record<string, string>
  }
  const create = async (name: string, readyAfterMs: number) => {
    const { appId } = await post('/app', { name, accountId, port: 3000, useImage: true, image })
    const appEnv = { accountId, appId, name: 'production', region: 'local', startupConfig: startup(readyAfterMs) }
    return (await post('/app-env', appEnv)).appEnvId ?? ''
  }
  const steady = await create('Steady', 0)
  await post('/app-env/deploy-image', { appEnvId: steady, image }, { prefer: 'wait=60' })
  const before = await containersOf(docker, steady)
  if (before.length === 0) throw new Error('The steady app does not run')
  const slow = await create('Slow', READY_AFTER_MS)
  await post('/app-env/deploy-image', { appEnvId: slow, image })
  await until(async () => (await containersOf(docker, slow)).length > 0)

  return {
    async check() {
      const problems: string[] = []
      const ended = () => database.operation.findFirstOrThrow({ where: { appEnvId: slow } })
      await until(async () => (await ended()).finishedAt !== null)
      const { status, reason } = await ended()
      if (status !== 'SUCCEEDED') problems.push(`The operation that was handed over ended as ${status} (${reason})`)
      const after = await containersOf(docker, steady)
      if (after.join() !== before.join()) problems.push('The containers of the steady app are others than before')
      return problems
    },
  }
}

async function containersOf(docker: Docker, appEnvId: string): Promise<string[]> {
  const found = await docker.listContainers({ filters: { label: [`berth.env=${appEnvId}`] } })
  return found.map(({ Id }) => Id).toSorted()
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('What was waited for did not come about')
    await sleep(100)
  }
}
