import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ContainerRuntime, LogLine } from '../../../src/engines/runtime/container-runtime.ts'
import type { Database } from '../../../src/storage/database/client.ts'
import type { Container } from '../../../src/storage/database/generated/prisma/client.ts'
import { AccountLogBudget } from '../../../src/worker/logs/account-log-budget.ts'
import { Collection } from '../../../src/worker/logs/collection.ts'
import { bytesOf, type LogStreamLine, MAX_STATEMENT_BYTES, type Progress } from '../../../src/worker/logs/log-stream.ts'
import { askForBuild, line, openLogStream, sourceEnv, takeOver } from '../../logs/started-build.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.close())

/** Reports how many lines each statement holds. */
function counting(database: Database, report: (lines: number) => void): Database {
  const query = (...statement: Parameters<Database['$queryRaw']>) => {
    const [, ...values] = statement as readonly unknown[]
    const lists = values.filter((value): value is unknown[] => Array.isArray(value))
    report(Math.max(0, ...lists.map((list) => list.length)))
    return database.$queryRaw(...statement)
  }
  return new Proxy(database, {
    get: (target, name) => (name === '$queryRaw' ? query : Reflect.get(target, name)),
  })
}

test('the lines of a build that prints much go into the database 250 a statement', async () => {
  const asked = await askForBuild(world, (await sourceEnv(world)).appEnvId)
  const counts: number[] = []
  const database = counting(world.database, (lines) => counts.push(lines))
  const stream = await openLogStream({ ...world, database }, await takeOver(world, asked), asked)
  const messages = Array.from({ length: 2_100 }, (_, at) => `${at} ${'x'.repeat(100)}`)
  for (const message of messages) stream.add(line(message))
  await stream.close()
  expect(Math.max(...counts)).toBe(250)
  const { id } = await world.database.logStream.findFirstOrThrow({
    where: { appEnvId: asked.appEnvId, kind: 'BUILDS' },
  })
  const stored = await world.database.logLine.findMany({ where: { logStreamId: id }, orderBy: { number: 'asc' } })
  expect(stored.map(({ message }) => message)).toEqual(messages)
})

const ROW = {
  id: 1,
  containerId: 'talker',
  phase: 'exited',
  startedAt: new Date(),
  stdoutAt: 0n,
  stdoutCount: 0,
  stderrAt: 0n,
  stderrCount: 0,
  capMinute: 0n,
  capUsed: 0,
  dropped: 0,
} as Container

const LENGTHS: Record<string, { bytes: number; lines: number }> = {
  short: { bytes: 100, lines: 20_000 },
  'as long as a line may be': { bytes: 16 * 1024, lines: 300 },
}

test.each(Object.entries(LENGTHS))(
  'the lines of a container go into the database up to a bound of bytes a statement, with the checkpoint of the last: %s',
  async (_, { bytes, lines }) => {
    const batches: { lines: readonly LogStreamLine[]; progress: readonly Progress[] }[] = []
    async function* logs(): AsyncGenerator<LogLine> {
      for (let at = 1; at <= lines; at += 1)
        yield { stream: 'stdout', nanoseconds: BigInt(at), timestamp: new Date(0), message: 'x'.repeat(bytes) }
    }
    const collection = new Collection(
      {
        database: world.database,
        runtime: { logs } as unknown as ContainerRuntime,
        log: pino({ level: 'fatal' }),
        linesPerMinute: 1_000_000,
        budget: new AccountLogBudget(world.database, 1_000),
        stream: {
          async append(_database, _claim, written, progress) {
            batches.push({ lines: written, progress })
            await new Promise((resolve) => setTimeout(resolve, 5))
            return true
          },
          release: async () => 0,
        },
      },
      {
        id: 1,
        appEnvId: 'env_1',
        accountId: null,
        preset: null,
        token: 1,
        lastNumber: 0n,
        leaseSeconds: 60,
      },
    )
    await collection.readToEnd(ROW, AbortSignal.timeout(60_000))
    await collection.close()
    const longest = bytesOf([{ containerId: 1, at: 1n, isError: false, message: 'x'.repeat(bytes) }])
    for (const batch of batches) expect(bytesOf(batch.lines)).toBeLessThan(MAX_STATEMENT_BYTES + longest)
    let count = 0n
    for (const { lines: written, progress } of batches) {
      count += BigInt(written.length)
      expect(progress.map(({ checkpoint }) => checkpoint.stdout.at)).toEqual([count])
    }
    expect(count).toBe(BigInt(lines))
  },
)
