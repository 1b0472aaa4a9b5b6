import fc from 'fast-check'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ContainerRuntime } from '../../src/engines/runtime/container-runtime.ts'
import { EngineOwnership } from '../../src/worker/engine/engine-ownership.ts'
import { takeOverEngine } from '../../src/worker/engine/take-over-engine.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { memoryEngine } from '../support/memory-engine/memory-engine.ts'
import { MemoryMachine } from '../support/memory-engine/memory-machine.ts'
import { repetitions } from '../support/repetitions.ts'

const INSTALLATION = 'ins_original'
const WATCH_MS = 30_000
const TAKEN = expect.stringContaining('npm run engine:take-over')
const WAITING = expect.stringMatching(/^Waiting to see/)

type Site = 'original' | 'copy'

/** One database beside its copy, as far as marks go. */
const databases = {} as Record<Site, TestDatabase>
let machine: MemoryMachine
let runtime: ContainerRuntime
/** Each check renews the mark; time passes when the test says so. */
let now = 0

beforeAll(async () => {
  databases.original = await createTestDatabase()
  databases.copy = await createTestDatabase()
})

afterAll(() => Promise.all(Object.values(databases).map(({ drop }) => drop())))

beforeEach(async () => {
  now = 0
  await begin()
})

async function begin(): Promise<void> {
  machine = new MemoryMachine()
  runtime = memoryEngine(machine, { installationId: INSTALLATION, callTimeoutSeconds: 10 }).runtime
  for (const { database } of Object.values(databases)) await database.engineMark.deleteMany()
}

/** A worker of one of the databases, which starts now. */
const worker = (site: Site, place: string = site, engine = runtime) =>
  new EngineOwnership({
    database: databases[site].database,
    runtime: engine,
    site: { place, holder: `host of ${place}` },
    log: pino({ level: 'silent' }),
    timing: { renewMs: 0, watchMs: WATCH_MS, clock: () => now },
  })

const check = (ownership: EngineOwnership) => ownership.check(new AbortController().signal, 5)

/** The copy's database becomes what the original's is now. */
async function copyDatabase(from: Site = 'original', to: Site = 'copy'): Promise<void> {
  const rows = await databases[from].database.engineMark.findMany()
  await databases[to].database.engineMark.deleteMany()
  await databases[to].database.engineMark.createMany({ data: rows })
}

const takeOver = (site: Site, isForced = true) =>
  takeOverEngine({ database: databases[site].database, runtime, place: site, isForced, watchMs: 1 })

const replaceEngine = () => {
  const other = new MemoryMachine()
  return memoryEngine(other, { installationId: INSTALLATION, callTimeoutSeconds: 10 }).runtime
}

describe('an installation', () => {
  test('holds its engine with all its workers, and after each restart at once', async () => {
    const [first, second] = [worker('original'), worker('original')]
    expect([await check(first), await check(second), await check(first), await check(second)]).toEqual([
      null,
      null,
      null,
      null,
    ])
    expect(await check(worker('original'))).toBeNull()
    expect(await runtime.marks()).toHaveLength(1)
  })

  test('holds it with workers that reach the database by another way, as soon as they see each other', async () => {
    const first = worker('original')
    await check(first)
    const second = worker('original', 'the same by another name')
    expect(await check(second)).toEqual(WAITING)
    await check(first)
    expect(await check(second)).toBeNull()
    expect(await check(first)).toBeNull()
  })

  test('that was moved holds it when nobody has shown up for a while', async () => {
    await check(worker('original'))
    const moved = worker('original', 'elsewhere')
    expect(await check(moved)).toEqual(WAITING)
    now += WATCH_MS
    expect(await check(moved)).toBeNull()
    expect(await check(worker('original', 'elsewhere'))).toBeNull()
  })

  test('holds an engine that was wiped, and one in its place', async () => {
    const first = worker('original')
    await check(first)
    machine.marks.clear()
    expect(await check(first)).toBeNull()
    expect(await runtime.marks()).toHaveLength(1)
    const replaced = { ...runtime }
    const swapped = worker('original', 'original', replaced)
    expect(await check(swapped)).toBeNull()
    Object.assign(replaced, replaceEngine())
    expect(await check(swapped)).toBeNull()
    expect(await check(worker('original', 'original', replaced))).toBeNull()
  })

  test('keeps its answer while the database is away', async () => {
    const first = worker('original')
    await check(first)
    const { database } = databases.original
    await database.$executeRawUnsafe('ALTER TABLE engine_mark RENAME TO engine_mark_away')
    try {
      expect(await check(first)).toBeNull()
      expect(await check(worker('original'))).toMatch(/not known yet/)
    } finally {
      await database.$executeRawUnsafe('ALTER TABLE engine_mark_away RENAME TO engine_mark')
    }
    expect(await check(first)).toBeNull()
  })

  test.each(['addMark', 'removeMark', 'marks', 'identity'] as const)(
    'that was killed or not answered at %s holds it at the next start',
    async (call) => {
      await check(worker('original'))
      for (const isDone of [false, true]) {
        const broken = async (...args: [never]) => {
          if (isDone) await (runtime[call] as (...args: never[]) => Promise<unknown>)(...args)
          throw new Error('killed')
        }
        await expect(check(worker('original', 'original', { ...runtime, [call]: broken }))).rejects.toThrow('killed')
        expect(await check(worker('original'))).toBeNull()
        expect(await runtime.marks()).toHaveLength(1)
      }
    },
  )
})

describe('a copy', () => {
  test('finds the original’s newer mark, and leaves the engine alone', async () => {
    const original = worker('original')
    await check(original)
    await copyDatabase()
    await check(original)
    const copy = worker('copy')
    expect([await check(copy), await check(original), await check(copy)]).toEqual([TAKEN, null, TAKEN])
  })

  test('with the newest mark waits, and finds the next one', async () => {
    const original = worker('original')
    await check(original)
    await copyDatabase()
    const copy = worker('copy')
    expect([await check(copy), await check(original), await check(copy)]).toEqual([WAITING, null, TAKEN])
    now += WATCH_MS
    expect(await check(copy)).toEqual(TAKEN)
  })

  test('of one that has stopped takes its place; then the original is the one that leaves it alone', async () => {
    await check(worker('original'))
    await copyDatabase()
    const copy = worker('copy')
    await check(copy)
    now += WATCH_MS
    expect(await check(copy)).toBeNull()
    const original = worker('original')
    expect([await check(original), await check(copy)]).toEqual([TAKEN, null])
    expect(await takeOver('original', false)).toEqual({
      outcome: 'taken',
      marks: [{ nonce: expect.any(String), holder: 'host of copy' }],
    })
    expect([await check(original), await check(copy), await check(original)]).toEqual([null, TAKEN, null])
  })

  test('takes a used engine over only by force', async () => {
    const original = worker('original')
    await check(original)
    await copyDatabase()
    await check(original)
    const renewing = { ...runtime }
    let calls = 0
    renewing.marks = async (bounds) => {
      calls += 1
      if (calls === 2) await check(original)
      return runtime.marks(bounds)
    }
    const { database } = databases.copy
    const options = { database, runtime: renewing, place: 'copy', watchMs: 1 }
    expect(await takeOverEngine({ ...options, isForced: false })).toMatchObject({ outcome: 'in use' })
    expect(await check(worker('copy'))).toEqual(TAKEN)
    expect(await takeOver('copy')).toMatchObject({ outcome: 'taken' })
    const copy = worker('copy')
    expect([await check(copy), await check(original), await check(copy)]).toEqual([null, TAKEN, null])
    expect(await takeOver('copy')).toEqual({ outcome: 'held' })
  })

  test('gives way: the original goes on by itself when its mark is gone', async () => {
    await check(worker('original'))
    await copyDatabase()
    const copy = worker('copy')
    await check(copy)
    now += WATCH_MS
    await check(copy)
    const original = worker('original')
    expect(await check(original)).toEqual(TAKEN)
    machine.marks.clear()
    expect(await check(original)).toBeNull()
  })
})

test('a backup that was restored in the place of its installation asks to take the engine over', async () => {
  const first = worker('original')
  await check(first)
  await copyDatabase('original', 'copy')
  await check(first)
  await copyDatabase('copy', 'original')
  const restored = worker('original')
  expect(await check(restored)).toEqual(TAKEN)
  expect(await takeOver('original', false)).toMatchObject({ outcome: 'taken' })
  expect(await check(restored)).toBeNull()
})

test('of two copies that find an engine without a mark at the same time, never both have it', async () => {
  for (let round = 0; round < 20; round += 1) {
    await begin()
    await databases.original.database.engineMark.create({
      data: { engineId: machine.id, nonces: ['old'], place: 'original', renewedAt: new Date() },
    })
    await copyDatabase()
    await databases.copy.database.engineMark.updateMany({ data: { place: 'copy' } })
    const two = [worker('original'), worker('copy')]
    await Promise.all(two.map(check))
    const answers = [await check(two[0] as EngineOwnership), await check(two[1] as EngineOwnership)]
    expect(answers.filter((answer) => answer === null).length).toBeLessThanOrEqual(1)
  }
})

type Step =
  | { do: 'check'; site: Site; worker: number; isKilled: boolean }
  | { do: 'restart'; site: Site; worker: number }
  | { do: 'copy' }
  | { do: 'wipe' }
  | { do: 'wait' }
  | { do: 'take over'; site: Site }

const site = fc.constantFrom<Site>('original', 'copy')
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('check'), site, worker: fc.nat(1), isKilled: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('restart'), site, worker: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('copy', 'wipe', 'wait') }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('take over'), site }) },
  ),
  { maxLength: 25 },
) as fc.Arbitrary<Step[]>

test('whatever happens, one that was answered is not followed by another one unasked, and taking over always helps', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await begin()
      now = 0
      const fleet = { original: [worker('original'), worker('original')], copy: [worker('copy'), worker('copy')] }
      /** Whose the engine is: the last that was let in, until a person or a loss of storage changes it. */
      let owner: Site | null = null
      for (const step of [{ do: 'check', site: 'original', worker: 0, isKilled: false }, ...all] as Step[]) {
        if (step.do === 'check') {
          const engine = step.isKilled ? killedOnce() : runtime
          const one = step.isKilled ? worker(step.site, step.site, engine) : fleet[step.site][step.worker]
          const answer = await check(one as EngineOwnership).catch(() => 'killed')
          if (answer !== null) continue
          if (owner !== null) expect(step.site).toBe(owner)
          owner = step.site
        } else if (step.do === 'restart') fleet[step.site][step.worker] = worker(step.site)
        else if (step.do === 'copy') {
          await copyDatabase()
          fleet.copy = [worker('copy'), worker('copy')]
        } else if (step.do === 'wipe') {
          machine.marks.clear()
          owner = null
        } else if (step.do === 'wait') {
          // Nobody renews the mark meanwhile, so a copy may have it.
          now += WATCH_MS
          owner = null
        } else if (step.do === 'take over') {
          await takeOver(step.site)
          owner = null
        }
      }
      await takeOver('original')
      const last = worker('original')
      expect(await check(last)).toBeNull()
      expect(await check(worker('copy'))).not.toBeNull()
      expect(await check(last)).toBeNull()
      expect((await runtime.marks()).length).toBeLessThanOrEqual(2)
    }),
    { numRuns: repetitions(40, 300) },
  )
})

/** The engine, whose caller dies at its first change of a mark. */
function killedOnce(): ContainerRuntime {
  const die = () => Promise.reject(new Error('killed'))
  return { ...runtime, addMark: die, removeMark: die }
}
