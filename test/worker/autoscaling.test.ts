import { afterAll, beforeAll, expect, test } from 'vitest'
import { getAppEnvHistory } from '../../src/services/app-env/app-env-reads.ts'
import { changeScaling } from '../../src/services/app-env/setting-commands.ts'
import type { Program } from '../support/memory-engine/program.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

/** Uses a fifth of a processor for as long as the file /tmp/calm is not there. */
const busy: Program = (process) => {
  process.serve((_request, response) => response.end('ok'))
  const work = setInterval(() => process.use({ cores: process.files.read('/tmp/calm') === null ? 0.2 : 0 }), 40)
  process.signal.addEventListener('abort', () => clearInterval(work), { once: true })
}

const UP = /^Containers from 2 to 3: processor at \d+ %, above 3 % for 10 s$/
const DOWN = /^Containers from 3 to 2: processor at \d+ % of a target of 3 %, low enough for 2 for 10 s$/

const TIMEOUT_MS = 240_000

let harbour: Harbour

beforeAll(async () => {
  harbour = await createHarbour({ BERTH_METRICS_SECONDS: '1' }, await inMemory({ busy }))
  harbour.startWorker()
})

afterAll(() => harbour?.close())

test('two replicas under load become three and two again, and history says why', { timeout: TIMEOUT_MS }, async () => {
  const startupConfig = { command: 'busy', args: [], shell: false }
  const appEnvId = await harbour.sample({ startupConfig, containers: 2 })
  await harbour.ended(await harbour.deployment(appEnvId))
  // A busy machine gives a container little of the core that it may use, so the target is low.
  const windows = { upWindowSeconds: 10, downWindowSeconds: 10 }
  const autoScaling = { enabled: true, min: 2, max: 3, cpuPercent: 3, ...windows }
  await harbour.perform(changeScaling, { appEnvId, autoScaling })
  const becomes = (containers: number) =>
    eventually(
      () => harbour.appEnvRow(appEnvId),
      (seen) => seen.replicasDesired === containers && seen.replicasReady === containers && seen.status === 'RUNNING',
      200,
    )
  await becomes(3)
  for (const { Id } of await harbour.containersOf(appEnvId)) await touch(Id, '/tmp/calm')
  await becomes(2)

  const caller = await harbour.services.authenticate(harbour.adminToken)
  const { activities } = await harbour.services.respond(
    getAppEnvHistory,
    { caller, requestId: 'req_1' },
    { appEnvId, limit: 50, offset: 0 },
  )
  expect(activities.map(({ kind, version, status, message }) => [kind, version, status, message])).toEqual([
    ['SCALING', 1, 'SUCCEEDED', expect.stringMatching(DOWN)],
    ['SCALING', 1, 'SUCCEEDED', expect.stringMatching(UP)],
    ['DEPLOYMENT', 1, 'DEPLOYED', null],
  ])
  const audit = await harbour.database.auditEntry.findMany({ where: { action: 'autoScale', targetId: appEnvId } })
  expect(audit).toHaveLength(2)
})

async function touch(containerId: string, path: string): Promise<void> {
  await harbour.runtime.exec(containerId, ['node', '-e', `require('node:fs').writeFileSync('${path}', '')`])
}
