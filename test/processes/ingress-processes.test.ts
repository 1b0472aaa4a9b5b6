import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ask, startReplica } from '../ingress/fixtures.ts'
import { descendantsOf } from '../supervisor/process-tree.ts'
import { freePort } from '../support/free-ports.ts'
import { createWorld, type World } from '../support/world.ts'
import { type BerthProcess, startBerth } from './berth-process.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** An API and an ingress of two processes, and an app behind it that answers in so much time. */
async function startDivided(answerMs = 0) {
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-divided-'))
  const [port, ingressPort] = [await freePort(), await freePort()]
  const replica = await startReplica(async (_request, response) => {
    await sleep(answerMs)
    response.end('served')
  })
  const host = await route(replica.target.port)
  const berth = await startBerth(
    {
      PORT: `${port}`,
      INGRESS_PORT: `${ingressPort}`,
      BERTH_DATA_DIR: dataDir,
      DATABASE_URL: world.url,
      BERTH_ROLES: 'api,ingress',
      BERTH_INGRESS_PROCESSES: '2',
      BERTH_LOG_LEVEL: 'warn',
      BERTH_LOG_FORMAT: 'json',
      BERTH_ADMIN_TOKEN: world.adminToken,
      BERTH_MASTER_KEY: world.masterKey.bytes.toString('hex'),
    },
    { isSupervised: true },
  )
  onTestFinished(async () => {
    await berth.end('SIGTERM')
    rmSync(dataDir, { recursive: true, force: true })
  })
  const api = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: world.adminToken } })
  return { berth, replica, host, ingressPort, api }
}

async function route(port: number): Promise<string> {
  const { appEnvId } = await world.appEnv()
  const contentId = await world.deploy(appEnvId)
  const { rolloutId, cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  const { host } = await world.database.host.findFirstOrThrow({ where: { appEnvId } })
  const replica = { name: `${cliEnvName}-0`, appEnvId, contentId, rolloutId: rolloutId ?? '', index: 0 }
  await world.database.replica.create({ data: { ...replica, address: '127.0.0.1', port, state: 'READY' } })
  return host
}

/** The ingress under the supervisor, and the processes that serve its port. */
function processesOf({ child }: BerthProcess): { ingress: number; serving: number[] } {
  const all = descendantsOf(child.pid ?? 0)
  const ingress = all.find(({ parent, command }) => parent === child.pid && command.includes('--roles=ingress'))
  return {
    ingress: ingress?.pid ?? 0,
    serving: all.filter(({ parent }) => parent === ingress?.pid).map(({ pid }) => pid),
  }
}

const isLinux = process.platform === 'linux'
if (!isLinux) process.stdout.write('Skipped: the processes of an ingress, because they are found in /proc (Linux)\n')

test.skipIf(!isLinux)(
  'processes share the port; one that is killed takes only its own connections with it',
  async () => {
    const { berth, host, ingressPort, api } = await startDivided()
    const before = processesOf(berth)
    expect(before.serving).toHaveLength(2)
    const agents = Array.from({ length: 8 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
    onTestFinished(() => {
      for (const agent of agents) agent.destroy()
    })
    const askAll = () => Promise.allSettled(agents.map((agent) => ask(ingressPort, { host, agent })))
    expect((await askAll()).filter(({ status }) => status === 'fulfilled')).toHaveLength(8)
    await expect
      .poll(async () => (await api('/metrics')).text())
      .toMatch(/^berth_ingress_requests_total\{status="2xx"\} 8$/m)

    process.kill(before.serving[0] ?? 0, 'SIGKILL')
    const asked = await Promise.all(Array.from({ length: 20 }, () => ask(ingressPort, { host })))
    expect(asked.every(({ body }) => body === 'served')).toBe(true)
    expect((await api('/readyz')).status).toBe(200)
    // Whoever asks for metrics meanwhile does not hinder the one that is started.
    await expect
      .poll(async () => (await api('/metrics')).text(), { interval: 10 })
      .toMatch(/^berth_ingress_processes 2$/m)
    expect(berth.said().split('one of its processes has ended').length).toBe(2)
    await expect.poll(() => processesOf(berth).serving.length).toBe(2)
    expect(processesOf(berth).ingress).toBe(before.ingress)
    expect(processesOf(berth).serving).toContain(before.serving[1])
    expect(berth.said()).toContain('one of its processes has ended')
    expect((await askAll()).filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
  },
)

test.skipIf(!isLinux)('the whole ends in order, and none of its processes is left', async () => {
  const { berth, replica, host, ingressPort } = await startDivided(1_000)
  const { serving } = processesOf(berth)
  const answers = Promise.all(Array.from({ length: 4 }, () => ask(ingressPort, { host })))
  await expect.poll(() => replica.requests).toBe(4)
  berth.child.kill('SIGTERM')
  expect((await answers).every(({ body }) => body === 'served')).toBe(true)
  expect(await berth.ended).toBe(0)
  expect(descendantsOf(...serving)).toEqual([])
})

test.skipIf(!isLinux)('without the process that started them, they end, and all are started again', async () => {
  const { berth, host, ingressPort } = await startDivided()
  const before = processesOf(berth)
  process.kill(before.ingress, 'SIGKILL')
  await expect.poll(() => descendantsOf(...before.serving)).toEqual([])
  await expect
    .poll(() =>
      ask(ingressPort, { host }).then(
        ({ body }) => body,
        () => null,
      ),
    )
    .toBe('served')
})
