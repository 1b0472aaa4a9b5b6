import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cancelOperation } from '../../../src/services/operation/cancel-operation.ts'
import type { Database } from '../../../src/storage/database/client.ts'
import { BuildLog } from '../../../src/worker/builds/build-log.ts'
import { LeaseLost, OperationEnded } from '../../../src/worker/claim/abandoned.ts'
import type { BuildLogStream } from '../../../src/worker/logs/build-log-stream.ts'
import { deleteOldLogs } from '../../../src/worker/logs/delete-old-logs.ts'
import {
  type AskedBuild,
  askForBuild,
  line,
  openLogStream,
  sourceEnv,
  startBuild,
  takeOver,
} from '../../logs/started-build.ts'
import { createWorld, type World } from '../../support/world.ts'
import { eventually } from '../fixtures.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.close())

const build = async () => startBuild(world, (await sourceEnv(world)).appEnvId)

async function linesOf({ appEnvId }: AskedBuild) {
  const stream = await world.database.logStream.findFirstOrThrow({ where: { appEnvId, kind: 'BUILDS' } })
  return world.database.logLine.findMany({ where: { logStreamId: stream.id }, orderBy: { number: 'asc' } })
}

const written = async (of: AskedBuild) => (await linesOf(of)).map(({ message }) => message)

const numbered = (word: string, count: number) => Array.from({ length: count }, (_, n) => `${word} ${n}`)

/** Loses the answers of so many statements that were carried out. */
function deaf(database: Database, answers: number): Database {
  let left = answers
  const query = async (...statement: Parameters<Database['$queryRaw']>) => {
    const answer = await database.$queryRaw(...statement)
    if (left > 0) {
      left -= 1
      throw new Error('The connection was lost')
    }
    return answer
  }
  return new Proxy(database, {
    get: (target, name) => (name === '$queryRaw' ? query : Reflect.get(target, name)),
  })
}

const openLog = (stream: BuildLogStream, earlier: readonly string[], number = 1) =>
  new BuildLog({
    stream,
    attempt: { number, of: 4, earlier },
    maxLines: 250,
    mask: (text) => text,
    now: () => new Date(),
  })

describe('the log of a build', () => {
  test('goes on after an attempt that was cut off, which writes no more: nothing lost, nothing twice', async () => {
    const asked = await build()
    for (const message of numbered('first', 500)) asked.stream.add(line(message))
    await eventually(
      () => written(asked),
      (lines) => lines.length === 500,
    )
    // The first worker is paused: it wakes up with lines that it read, and does not know yet that it is too late.
    const second = await openLogStream(world, await takeOver(world, asked, 'worker-2'), asked)
    asked.stream.add(line('too late'))
    await asked.stream.close()
    await expect(openLogStream(world, asked.lease, asked)).rejects.toThrow(LeaseLost)
    for (const message of numbered('second', 500)) second.add(line(message))
    await second.close()
    expect(await written(asked)).toEqual([...numbered('first', 500), ...numbered('second', 500)])
    const lines = await linesOf(asked)
    expect(lines.map(({ number }) => number)).toEqual(lines.map((_, index) => BigInt(index + 1)))
    expect(lines.every(({ at }, index) => index === 0 || at > (lines[index - 1]?.at ?? at))).toBe(true)
  })

  test('has each line once when the answers to its writing are lost', async () => {
    const asked = await askForBuild(world, (await sourceEnv(world)).appEnvId)
    const lease = await takeOver(world, asked)
    const stream = await openLogStream({ ...world, database: deaf(world.database, 2) }, lease, asked)
    for (const message of numbered('line', 300)) stream.add(line(message))
    await eventually(
      () => written(asked),
      (lines) => lines.length > 0,
    )
    for (const message of numbered('later', 300)) stream.add(line(message))
    await stream.close()
    expect(await written(asked)).toEqual([...numbered('line', 300), ...numbered('later', 300)])
  })

  test('is closed for a worker whose claim has run out, and for one whose operation has ended', async () => {
    const asked = await build()
    await world.database.$executeRaw`
      UPDATE log_stream SET lease_expires_at = now() - interval '1 s' WHERE app_env_id = ${asked.appEnvId}`
    asked.stream.add(line('out of time'))
    await asked.stream.close()
    expect(await written(asked)).toEqual([])
    await world.perform(cancelOperation, { operationId: asked.operationId })
    await expect(openLogStream(world, asked.lease, asked)).rejects.toThrow(OperationEnded)
  })

  test('keeps its first lines and its last over all attempts, and counts the others', async () => {
    const asked = await build()
    const open = (stream = asked.stream) => openLog(stream, [])
    const first = open()
    for (const message of numbered('first', 40)) first.write(message)
    await first.close()
    const second = open(await openLogStream(world, asked.lease, asked))
    for (const message of numbered('second', 1000)) second.write(message)
    expect(second.excerpt().slice(-2)).toEqual(['second 998', 'second 999'])
    await second.close()
    const kept = await written(asked)
    expect(kept.slice(0, 50)).toEqual([...numbered('first', 40), ...numbered('second', 10)])
    expect(kept[50]).toBe('… 790 lines are left out …')
    expect(kept.slice(51)).toEqual(numbered('second', 1000).slice(-200))
  })

  test('says once what every attempt says, and then what a further one adds', async () => {
    const asked = await build()
    const attempt = async (number: number, lines: string[], isRetried = true) => {
      const stream = number === 1 ? asked.stream : await openLogStream(world, asked.lease, asked)
      const log = openLog(stream, await stream.earlier(), number)
      for (const message of lines) log.write(message)
      log.fail('REGISTRY_UNREACHABLE', 'it is away', { isRetried })
      expect(log.excerpt().slice(-2)).toEqual([lines.at(-1), expect.stringContaining('it is away')])
      await log.close()
    }
    await attempt(1, ['Building', 'Fetched'])
    await attempt(2, ['Building', 'Fetched', 'Step 1'])
    await attempt(3, ['Building', 'Fetched', 'Step 1', 'Step 2'])
    await attempt(4, ['Building', 'Other', 'Step 1'], false)
    expect(await written(asked)).toEqual([
      'Building',
      'Fetched',
      'Attempt 1 of 4 failed (REGISTRY_UNREACHABLE): it is away',
      'Step 1',
      'Attempt 2 of 4 failed (REGISTRY_UNREACHABLE): it is away',
      'Step 2',
      'Attempt 3 of 4 failed (REGISTRY_UNREACHABLE): it is away',
      'Other',
      'Step 1',
      'The build failed (REGISTRY_UNREACHABLE): it is away',
    ])
  })

  test('says where an attempt takes over from one that was cut off', async () => {
    const asked = await build()
    const first = openLog(asked.stream, [])
    for (const message of numbered('line', 3)) first.write(message)
    await first.close()
    const stream = await openLogStream(world, asked.lease, asked)
    const second = openLog(stream, await stream.earlier(), 2)
    second.takeOver()
    for (const message of numbered('line', 5)) second.write(message)
    await second.close()
    const takesOver = 'Attempt 2 of 4 takes over; what it only repeats is left out'
    expect(await written(asked)).toEqual([...numbered('line', 3), takesOver, 'line 3', 'line 4'])
  })

  test('goes when the plan keeps it no longer, and with its environment', async () => {
    const [old, deleted] = [await build(), await build()]
    for (const { stream } of [old, deleted]) {
      stream.add(line('said'))
      await stream.close()
    }
    await world.database.$executeRaw`
      UPDATE log_line SET at = at - 8 * 86400 * 1000000000::bigint
      WHERE log_stream_id = (SELECT id FROM log_stream WHERE app_env_id = ${old.appEnvId} AND kind = 'BUILDS')`
    await world.database.$executeRaw`UPDATE app_env SET deleted_at = now() WHERE id = ${deleted.appEnvId}`
    await deleteOldLogs(world.database)
    expect([await written(old), await written(deleted)]).toEqual([[], []])
    expect(await world.database.container.findMany({ where: { appEnvId: deleted.appEnvId } })).toEqual([])
  })
})
