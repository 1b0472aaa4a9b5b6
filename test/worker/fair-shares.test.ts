import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/domain/ids.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { BuildSlots } from '../../src/worker/claim/build-slots.ts'
import { createHarbour, eventually, type Harbour } from './fixtures.ts'
import { inMemory } from './harbour-engine.ts'

describe('build slots', () => {
  const never = new AbortController().signal
  const [ours, theirs, others] = [newId('acc'), newId('acc'), newId('acc')]

  test('one account that takes them all does not delay the first build of another', async () => {
    const slots = new BuildSlots(2)
    const begun: string[] = []
    const build = (accountId: string) =>
      slots
        .take(accountId, never, () => {})
        .then((release) => {
          begun.push(accountId)
          return release
        })
    const first = [build(ours), build(ours)]
    for (let more = 0; more < 1_000; more += 1) void build(ours)
    const release = await build(theirs)
    expect(begun).toEqual([ours, ours, theirs])
    expect(slots.ahead(theirs)).toBe(1_001)
    release()
    await build(others)
    expect(begun).toEqual([ours, ours, theirs, others])
    ;(await first[0])?.()
    await build(theirs)
    expect(begun.at(-1)).toBe(theirs)
  })

  test('a build that is given up leaves the queue', async () => {
    const slots = new BuildSlots(1)
    const release = await slots.take(ours, never, () => {})
    const leaving = new AbortController()
    const positions: number[] = []
    const given = slots.take(ours, leaving.signal, () => {})
    const next = slots.take(ours, never, (position) => void positions.push(position))
    leaving.abort(new Error('given up'))
    await expect(given).rejects.toThrow('given up')
    expect(positions).toEqual([2, 1])
    release()
    await next
  })
})

describe('operations of a worker', () => {
  let harbour: Harbour
  beforeAll(async () => {
    const settings = { BERTH_READY_TIMEOUT_SECONDS: '60', BERTH_WORKER_CONCURRENCY: '2' }
    harbour = await createHarbour(settings, await inMemory())
  })
  afterAll(() => harbour?.close())
  afterEach(() => harbour.stopWorkers())

  /** Never ready: nothing listens. */
  const STUCK = { app: { image: 'programs:1' } }

  test('another account’s deployment begins while hundreds of one account wait', async () => {
    const other = await harbour.account()
    const waiting = await Promise.all(Array.from({ length: 40 }, () => harbour.appEnv({ ...STUCK })))
    for (const { appEnvId } of waiting) await harbour.perform(deployImage, { appEnvId, image: 'programs:1' })
    harbour.startWorker({})
    await eventually(
      () => harbour.database.operation.count({ where: { status: 'RUNNING' } }),
      (running) => running >= 2,
    )
    const { appEnvId } = await harbour.appEnv({ accountId: other })
    const { operationId } = await harbour.perform(deployImage, { appEnvId, image: 'programs:1' })
    await eventually(
      () => harbour.database.operation.findUniqueOrThrow({ where: { id: operationId ?? '' } }),
      ({ status }) => status !== 'QUEUED',
    )
    expect(await harbour.database.operation.count({ where: { status: 'QUEUED' } })).toBeGreaterThan(30)
  })
})
