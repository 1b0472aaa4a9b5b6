import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../../src/calls/caller.ts'
import { readMetrics } from '../../../src/services/metric/metric-queries.ts'
import { readSeries } from '../../../src/services/metric/metric-series.ts'
import { listPods } from '../../../src/services/pod/pod-queries.ts'
import { createHarbour, eventually, type Harbour } from '../fixtures.ts'

/** Listens; ends with code 3 once, or eats all its memory once, when a path asks for it. */
const FRAGILE = `
const { existsSync, writeFileSync } = require('node:fs')
require('node:http').createServer((_, response) => response.end('ok')).listen(Number(process.env.PORT))
const once = (mark) => existsSync('/tmp/' + mark) && !existsSync('/tmp/' + mark + '-done') && (writeFileSync('/tmp/' + mark + '-done', ''), true)
setInterval(() => {
  if (once('exit')) { console.error('the roof is on fire'); process.exit(3) }
  if (once('eat')) for (const eaten = []; ; ) eaten.push(Buffer.alloc(16 << 20, 1))
}, 50)
process.on('SIGTERM', () => process.exit(0))`

const ADMIN: Caller = {
  tokenId: 'tok',
  kind: 'USER',
  userId: 'usr',
  appEnvId: null,
  accountId: null,
  scopes: null,
  expiresAt: null,
  isInstallationAdmin: true,
  currentAccountId: null,
  memberships: new Map(),
}
const TIMEOUT_MS = 180_000

let harbour: Harbour
let appEnvId: string

beforeAll(async () => {
  harbour = await createHarbour({ BERTH_METRICS_SECONDS: '1', BERTH_ENGINE_EVENTS: 'true' })
  harbour.startWorker()
  const startupConfig = { command: 'node', args: ['-e', FRAGILE], shell: false }
  appEnvId = await harbour.sample({ startupConfig })
  await harbour.ended(await harbour.deployment(appEnvId))
})

afterAll(() => harbour?.close())

async function leave(flag: string): Promise<void> {
  const [container] = await harbour.containersOf(appEnvId)
  const script = `fs.writeFileSync('/tmp/${flag}', '')`
  const exec = await harbour.docker.getContainer(container?.Id ?? '').exec({ Cmd: ['node', '-e', script] })
  await exec.start({ Detach: true })
}

const pods = () => harbour.services.all(listPods, { caller: ADMIN, requestId: 'req_1' }, { appEnvId })

test('a pod shows what it runs, and how it ended last', { timeout: TIMEOUT_MS }, async () => {
  const [fresh] = await eventually(pods, (seen) => seen[0]?.containerReady === true)
  expect(fresh).toMatchObject({ status: 'RUNNING', restartCount: 0, lastTermination: null, finishedAt: null })
  expect(fresh?.resources).toEqual({ cpu: 1, memory: 512 })
  await leave('exit')
  const [failed] = await eventually(pods, (seen) => seen[0]?.lastTermination?.exitCode === 3, 60)
  expect(failed?.lastTermination).toMatchObject({ reason: 'ERROR', outOfMemory: false })
  await eventually(pods, (seen) => seen[0]?.containerReady === true, 60)
  await leave('eat')
  const [eaten] = await eventually(pods, (seen) => seen[0]?.lastTermination?.outOfMemory === true, 60)
  expect(eaten?.lastTermination).toMatchObject({ reason: 'OUT_OF_MEMORY' })
  const restarts = () =>
    harbour.database.appEnv.findUniqueOrThrow({
      where: { id: appEnvId },
      select: { restartCount: true, lastRestartReason: true },
    })
  const [counted] = await eventually(pods, (seen) => seen[0]?.restartCount === 2, 60)
  expect(counted?.restartCount).toBe(2)
  // The status of the environment says the same.
  expect(await restarts()).toEqual({
    restartCount: 2,
    lastRestartReason: expect.stringContaining('and the engine started it again'),
  })
})

test('what containers use is measured and averaged', { timeout: TIMEOUT_MS }, async () => {
  const now = () => readMetrics(harbour.database, ADMIN, { appEnvId })
  const measured = await eventually(now, (seen) => seen.used.memory > 0, 60)
  expect(measured.allocated).toEqual({ cpu: 1000, memory: 512 })
  expect(measured.percent.memory).toBeCloseTo((100 * measured.used.memory) / 512, 0)
  const { points } = await readSeries(harbour.database, ADMIN, { appEnvId }, { metric: 'memory_usage', step: '1m' })
  expect(points.length).toBeGreaterThan(0)
  expect(points.at(-1)?.value).toBeGreaterThan(0)
  const distant = { from: new Date(0), to: new Date(1000) }
  const none = await readSeries(
    harbour.database,
    ADMIN,
    { appEnvId },
    { metric: 'cpu_percent', step: '1h', ...distant },
  )
  expect(none.points).toEqual([])
})
