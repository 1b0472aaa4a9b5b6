import { afterAll, beforeAll, expect, test } from 'vitest'
import { AccountLogBudget } from '../../../src/worker/logs/account-log-budget.ts'
import { trimLogs } from '../../../src/worker/logs/delete-old-logs.ts'
import { append, claimLogStream } from '../../../src/worker/logs/log-stream.ts'
import { createWorld, type World } from '../../support/world.ts'

const MB = 1024 * 1024

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world?.close())

test('an account gets no more than its budget per minute, whoever asks', async () => {
  const workers = [new AccountLogBudget(world.database, 2), new AccountLogBudget(world.database, 2)]
  const takeAll = async () => {
    let taken = 0
    for (let round = 0; round < 80; round += 1)
      for (const worker of workers) taken += await worker.take(world.accountId, 50_000)
    return taken
  }
  const minute = () => Math.floor(Date.now() / 60_000)
  const before = minute()
  const taken = await takeAll()
  // The test may have run across the end of a minute.
  expect(taken).toBeLessThanOrEqual(2 * MB * (minute() - before + 1))
  expect(taken).toBeGreaterThan(2 * MB - 200_000)
  expect(await workers[0]?.take(await world.account('Other'), MB)).toBe(MB)
})

test('an account that keeps too much loses the oldest lines of its largest log', async () => {
  const write = async (lines: number) => {
    const { appEnvId } = await world.appEnv()
    const claimant = { owner: 'me', leaseSeconds: 60 }
    const claim = await claimLogStream(world.database, { appEnvId, kind: 'CONTAINERS' }, claimant)
    if (!claim) throw new Error('The log stream was not claimed')
    const line = (at: number) => ({ containerId: 1, at: BigInt(at), isError: false, message: 'x'.repeat(936) })
    await append(
      world.database,
      claim,
      Array.from({ length: lines }, (_, at) => line(at)),
      [],
    )
    return claim.id
  }
  const [small, large] = [await write(300), await write(15_000)]
  const kept = async (id: number) => {
    const { bytes } = await world.database.logStream.findUniqueOrThrow({ where: { id } })
    const lines = await world.database.logLine.findMany({ where: { logStreamId: id }, orderBy: { number: 'asc' } })
    expect(Number(bytes)).toBe(lines.length * 1000)
    return { lines: lines.length, first: Number(lines[0]?.number) }
  }
  expect(await trimLogs(world.database, 20)).toBe(0)
  expect(await trimLogs(world.database, 10)).toBe(10_000)
  expect(await kept(large)).toEqual({ lines: 5_000, first: 10_001 })
  expect(await kept(small)).toEqual({ lines: 300, first: 1 })
})
