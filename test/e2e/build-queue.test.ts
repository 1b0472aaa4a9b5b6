import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuildImages } from '../support/build-images.ts'
import { countSteps, letStepGo, waitingStep } from '../support/running-steps.ts'
import { sourceOf } from '../support/source-archive.ts'
import { eventually } from '../worker/fixtures.ts'
import { type BuildSite, type BuiltApp, startBuildSite } from './build-site.ts'
import type { TestPlatform } from './platform.ts'

const SECONDS = {
  BERTH_OPERATION_TIMEOUT_SECONDS: 60,
  BERTH_SOURCE_TIMEOUT_SECONDS: 30,
  BERTH_BUILD_TIMEOUT_SECONDS: 120,
}

let berth: TestPlatform
let images: BuildImages
let site: BuildSite
/** The operation of the first test that waited for a place, and for how long at least. */
let waited = ''
const WAITED_MS = 2_500

beforeAll(async () => {
  const settings = Object.entries(SECONDS).map(([name, seconds]) => [name, String(seconds)])
  ;({ berth, images, site } = await startBuildSite({ ...Object.fromEntries(settings), BERTH_BUILD_CONCURRENCY: '1' }))
})

afterAll(() => berth?.stop())

const SERVER = `require('node:http').createServer((q, r) => r.end()).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))`

/** Begins a build that goes on only when it is let go, however slow the machine is. */
async function begin(): Promise<BuiltApp & { operationId: string }> {
  // Of an account of its own: builds of one account may wait for each other besides.
  const { accountId } = await berth.ok<{ accountId: string }>('POST', '/account', { name: 'builds' })
  const app = await site.uploadedApp({ accountId }, { accountId })
  const Dockerfile = `FROM ${images.node}\n${waitingStep(app.appEnvId)}\nCOPY server.js /\nCMD ["node", "/server.js"]\n`
  const storageKey = await site.put(app, await sourceOf({ Dockerfile, 'server.js': SERVER }))
  await berth.ok('POST', '/app-env/notify-code-upload', { appEnvId: app.appEnvId, storageKey })
  const { operations } = await berth.ok<{ operations: { operationId: string }[] }>(
    'GET',
    `/operations?appEnvId=${app.appEnvId}`,
  )
  return { ...app, operationId: operations[0]?.operationId ?? '' }
}

const letGo = ({ appEnvId }: BuiltApp) =>
  eventually(
    () => letStepGo(berth.docker, appEnvId),
    (count) => count > 0,
  )

interface Shown {
  status: string
  steps: { name: string; detail: string | null }[]
}

/** Null for one that does not wait. */
async function position(operationId: string): Promise<number | null> {
  const { steps } = await berth.ok<Shown>('GET', `/operation?operationId=${operationId}`)
  const detail = steps.find(({ name }) => name === 'source')?.detail ?? ''
  return Number(/^waiting for a place to build; position (\d+) in the queue$/.exec(detail)?.[1] ?? 0) || null
}

const until = (operationId: string, wanted: number | null) =>
  eventually(
    () => position(operationId),
    (seen) => seen === wanted,
  )

test('builds wait for a place in the order in which they came, and say how many are before them', async () => {
  // One slot, and one more for accounts that build nothing.
  const [first, beside] = [await begin(), await begin()]
  for (const { appEnvId } of [first, beside])
    await eventually(
      () => countSteps(berth.docker, appEnvId),
      (count) => count > 0,
    )
  const [second, third, fourth] = [await begin(), await begin(), await begin()]
  await until(fourth.operationId, 3)
  waited = fourth.operationId
  await sleep(WAITED_MS)
  expect(await Promise.all([first, second, third].map((one) => position(one.operationId)))).toEqual([null, 1, 2])

  await berth.ok('POST', '/operation/cancel', { operationId: third.operationId })
  await until(fourth.operationId, 2)
  expect(await site.ended(third)).toMatchObject({ status: 'CANCELLED' })
  await letGo(first)
  await until(second.operationId, null)
  await until(fourth.operationId, 1)
  for (const one of [beside, second, fourth]) await letGo(one)
  for (const one of [first, beside, second, fourth])
    expect(await site.ended(one)).toMatchObject({ status: 'SUCCEEDED' })

  const events = await berth.database.event.findMany({
    where: { operationId: fourth.operationId, type: 'operation.progressed' },
    orderBy: { sequence: 'asc' },
  })
  const received = events.flatMap(({ payload }) => /position (\d)/.exec(JSON.stringify(payload))?.[1] ?? [])
  expect(received).toEqual(['3', '2', '1'])
})

test('the time in which an operation waits for a place is not counted', async () => {
  const { startedAt, deadlineAt, finishedAt } = await berth.database.operation.findUniqueOrThrow({
    where: { id: waited },
  })
  const since = (date: Date | null) => ((date?.getTime() ?? 0) - (startedAt?.getTime() ?? 0)) / 1000
  const seconds = since(deadlineAt)
  const own = Object.values(SECONDS).reduce((sum, one) => sum + one, 0)
  // It waited for more than two seconds, and for less time than it took in all.
  expect(seconds).toBeGreaterThan(own + 2)
  expect(seconds).toBeLessThan(own + since(finishedAt))
})
