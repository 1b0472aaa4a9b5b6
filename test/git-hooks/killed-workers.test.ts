import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Failpoint } from '../../src/fault-injection/failpoint.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { deleteExpiredAppEnvs } from '../../src/services/pull-request-envs/delete-expired-app-envs.ts'
import {
  type ClaimedStatus,
  claimStatuses,
  recordAttempt,
} from '../../src/worker/commit-statuses/commit-status-table.ts'
import { reportStatus } from '../../src/worker/commit-statuses/report-status.ts'
import { Orders } from '../crash/harness/orders.ts'
import { commitId } from '../support/git-hosts.ts'
import { createPullRequestWorld, type PullRequestWorld } from './pull-request-world.ts'
import { startStatusHost } from './status-host.ts'
import { statusTask } from './status-task.ts'

const [A, B] = [commitId('a'), commitId('b')]
const settings = { BERTH_GIT_PRIVATE_HOSTS: 'true' }

let host: Awaited<ReturnType<typeof startStatusHost>>
let world: PullRequestWorld

beforeAll(async () => {
  host = await startStatusHost()
  world = await createPullRequestWorld(settings)
})
afterAll(async () => {
  await world?.close()
  host.close()
})

/** A worker in a process of its own, which is killed there. */
async function workAndDie(work: 'statuses' | 'expiry', point: Failpoint, subject: string): Promise<void> {
  const orders = new Orders(await mkdtemp(join(tmpdir(), 'berth-git-hooks-')))
  onTestFinished(() => rm(orders.folder, { recursive: true }))
  orders.arm({ point, subject, pass: 1 }, 'SIGKILL', point)
  const key = world.masterKey.bytes.toString('hex')
  const given = { url: world.url, key, ordersFolder: orders.folder, settings, work }
  const program = fileURLToPath(new URL('killed-worker.ts', import.meta.url))
  const child = spawn(process.execPath, [program, JSON.stringify(given)], { stdio: ['ignore', 'inherit', 'inherit'] })
  const [, signal] = await once(child, 'exit')
  expect([signal, orders.isFired]).toEqual(['SIGKILL', true])
}

describe('a worker that is killed between its request to the git host and its record', () => {
  /** A pull request whose commits get statuses. */
  async function told() {
    const url = world.repository()
    const status = { statusApiUrl: `${host.url}/api`, statusToken: 'a-token' }
    const hook = await world.hook('GITHUB', status)
    const { appId } = await world.previewed({ url })
    await world.tell(hook, { url, head: A })
    const [appEnv] = await world.envsOf(appId)
    const context = `berth/${appEnv?.cliEnvName}`
    const newest = async () => {
      const [present] = await world.envsOf(appId)
      return (await world.operationsOf(present?.id ?? '')).at(-1)?.id ?? ''
    }
    return {
      hook,
      url,
      newest,
      operationId: await newest(),
      context,
      /** What the host was told, such as `aaaa pending`. */
      said: () =>
        host.told.flatMap(({ path, body }) =>
          body.context === context ? [`${path.split('/').at(-1)?.slice(0, 4)} ${body.state}`] : [],
        ),
    }
  }

  const rowOf = (operationId: string) => world.database.commitStatus.findUniqueOrThrow({ where: { operationId } })

  /** The claim of the dead one is over. */
  const claimIsOver = (operationId: string) =>
    world.database.$executeRaw`UPDATE commit_status SET due_at = now() WHERE operation_id = ${operationId}`

  async function tellUntil(isDone: () => Promise<boolean>) {
    const { database, config, vault, log } = world
    const stopping = new AbortController()
    const running = statusTask({ database, config, vault, log }).run(stopping.signal)
    try {
      await expect.poll(isDone).toBe(true)
    } finally {
      stopping.abort()
      await running
    }
  }

  const isTaken = (operationId: string, state: string) => async () => (await rowOf(operationId)).reported === state

  test('has the same status told again, once its claim is over and no sooner', async () => {
    const { operationId, said } = await told()
    await workAndDie('statuses', 'status.sent', operationId)
    expect([said(), (await rowOf(operationId)).reported]).toEqual([['aaaa pending'], null])
    expect((await claimStatuses(world.database, 10)).map((claimed) => claimed.operationId)).toEqual([])
    await claimIsOver(operationId)
    await tellUntil(isTaken(operationId, 'PENDING'))
    expect(said()).toEqual(['aaaa pending', 'aaaa pending'])
  })

  test('has what became of it since told after it, and nothing older after that', async () => {
    const { operationId, said } = await told()
    await workAndDie('statuses', 'status.sent', operationId)
    await world.endOperation(operationId)
    await claimIsOver(operationId)
    await tellUntil(isTaken(operationId, 'SUCCESS'))
    expect(said()).toEqual(['aaaa pending', 'aaaa success'])
    await workAndDieLate(operationId)
    expect([said().at(-1), await rowOf(operationId)]).toMatchObject(['aaaa success', { reported: 'SUCCESS' }])
  })

  /** A worker that was paused from its claim on, and does not know that its time is over. */
  async function workAndDieLate(operationId: string): Promise<void> {
    const { database, config, vault, log } = world
    const row = await rowOf(operationId)
    const late = {
      ...row,
      claims: row.claims - 1,
      state: 'PENDING',
      claimedAt: performance.now() - 60_000,
    } as ClaimedStatus
    expect(await reportStatus({ database, config, vault, log }, late)).toBeNull()
    await recordAttempt(database, late, { isTaken: true, mayRetry: false, error: null })
  }

  test('tells nothing of an operation that a later one of the same commit replaced meanwhile', async () => {
    const { database, config, vault, log } = world
    const { hook, url, operationId, said, newest } = await told()
    const [claimed] = await claimStatuses(database, 1)
    // Closed and opened again while the request is under way: an environment of the same name, of the same commit.
    await world.tell(hook, { url, action: 'closed', head: A })
    await world.tell(hook, { url, action: 'reopened', head: A })
    const outcome = await reportStatus({ database, config, vault, log }, claimed as ClaimedStatus)
    await recordAttempt(database, claimed as ClaimedStatus, outcome ?? { isTaken: false, mayRetry: false, error: '' })
    const replacing = await newest()
    // What was under way arrives before anything of the new one is told.
    expect(await claimStatuses(database, 10)).toEqual([])
    await claimIsOver(replacing)
    await world.endOperation(replacing)
    await tellUntil(isTaken(replacing, 'SUCCESS'))
    expect(said()).toEqual(['aaaa pending', 'aaaa success'])
    expect((await rowOf(operationId)).endedAt).not.toBeNull()
  })
})

describe('an environment whose time is over', () => {
  async function expiring(hours = -1) {
    const url = world.repository()
    const hook = await world.hook('GITHUB')
    const { appId } = await world.previewed({ url })
    await world.tell(hook, { url, head: A })
    const [appEnv] = await world.envsOf(appId)
    const appEnvId = appEnv?.id ?? ''
    await world.database.$executeRaw`
      UPDATE app_env SET expires_at = now() + make_interval(hours => ${hours}) WHERE id = ${appEnvId}`
    const deletions = async () => (await world.operationsOf(appEnvId)).filter(({ kind }) => kind === 'DELETE').length
    return { appEnvId, appId, deletions, hook, url }
  }

  test('is deleted by one of many workers, and comes back with the next push', async () => {
    const { appEnvId, appId, deletions, hook, url } = await expiring()
    const other = await expiring(1)
    await Promise.all(Array.from({ length: 4 }, () => deleteExpiredAppEnvs(world)))
    expect([await deletions(), await other.deletions(), await world.envsOf(appId)]).toEqual([1, 0, []])
    const audit = await world.auditOf(appEnvId)
    const actor = { actorType: 'SYSTEM', details: { actor: 'expiry', name: 'pr-12' } }
    expect(audit.at(-1)).toMatchObject({ action: 'deleteExpiredAppEnv', ...actor })
    expect(await world.tell(hook, { url, action: 'pushed', before: A, head: B })).toMatchObject({ outcome: 'DEPLOYED' })
    expect(await world.envsOf(appId)).toHaveLength(1)
  })

  test('stays while it is protected, and one that people made stays for ever', async () => {
    const { appEnvId, deletions } = await expiring()
    await world.perform(updateAppEnv, { appEnvId, preventDestroy: true })
    await deleteExpiredAppEnvs(world)
    expect(await deletions()).toBe(0)
    await world.perform(updateAppEnv, { appEnvId, preventDestroy: false })
    await deleteExpiredAppEnvs(world)
    expect(await deletions()).toBe(1)
    expect(await world.database.appEnv.count({ where: { name: 'production', deletedAt: { not: null } } })).toBe(0)
  })

  test.each<[Failpoint, number]>([
    ['expiry.written', 0],
    ['expiry.committed', 1],
  ])('is deleted once, by a worker that is killed at %s or its successor', async (point, before) => {
    const { appEnvId, appId, deletions } = await expiring()
    await workAndDie('expiry', point, appEnvId)
    expect([await deletions(), (await world.envsOf(appId)).length]).toEqual([before, 1 - before])
    await deleteExpiredAppEnvs(world)
    await deleteExpiredAppEnvs(world)
    expect([await deletions(), await world.envsOf(appId)]).toEqual([1, []])
    expect((await world.auditOf(appEnvId)).filter(({ action }) => action === 'deleteExpiredAppEnv')).toHaveLength(1)
  })
})
