import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createJobRun } from '../../src/services/job-run/create-job-run.ts'
import { beginDueJobRuns, timeToRun } from '../../src/services/job-schedule/due-job-runs.ts'
import { setJobSchedule } from '../../src/services/job-schedule/schedule-commands.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { nextTime } from '../../src/services/schedule/cron-times.ts'
import { createWorld, type World } from '../support/world.ts'

const HOUR_MS = 3_600_000

/** The times at which workers that look every `everyMs` start a run; the clock is the database's, which only goes on. */
function starts(clock: { cron: string; timeZone: string }, from: string, to: string, everyMs: number): string[] {
  const started: string[] = []
  let next = nextTime(clock, new Date(from))
  for (let now = new Date(from).getTime(); now <= new Date(to).getTime(); now += everyMs) {
    const at = new Date(now)
    if (!next || next > at) continue
    const time = timeToRun({ ...clock, catchUp: true }, next, at)
    if (time) started.push(time.toISOString())
    next = nextTime(clock, at)
  }
  return started
}

describe('the times of a schedule', () => {
  test.each([
    ['Europe/Berlin', '30 2 * * *', '2026-03-27T00:00:00Z', '2026-03-31T00:00:00Z', 4],
    ['Europe/Berlin', '30 2 * * *', '2026-10-23T00:00:00Z', '2026-10-27T00:00:00Z', 4],
    ['America/New_York', '30 2 * * *', '2026-03-06T12:00:00Z', '2026-03-10T12:00:00Z', 4],
    ['America/New_York', '30 1 * * *', '2026-10-30T12:00:00Z', '2026-11-03T12:00:00Z', 4],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-04-03T00:00:00Z', '2026-04-07T00:00:00Z', 4],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-02T00:00:00Z', '2026-10-06T00:00:00Z', 4],
  ])('in %s come once a day, also when the clock changes (%s, %s)', (timeZone, cron, from, to, days) => {
    const times = starts({ cron, timeZone }, from, to, 60_000)
    expect(times).toHaveLength(days)
    expect(new Set(times).size).toBe(days)
  })

  test.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'])(
    'are each day of a year in %s once, whatever its clock does',
    (timeZone) => {
      const times = starts({ cron: '30 2 * * *', timeZone }, '2026-01-01T00:30:00Z', '2027-01-01T00:30:00Z', HOUR_MS)
      expect(times).toHaveLength(365)
      expect(new Set(times).size).toBe(365)
    },
  )

  test('are each day of a year once, with the clocks of two workers minutes apart', () => {
    const clock = { cron: '30 2 * * *', timeZone: 'America/New_York' }
    const apartMs = [-4 * 60_000, 3 * 60_000]
    const started: string[] = []
    let next = nextTime(clock, new Date('2026-01-01T12:00:00Z'))
    const [from, to] = [Date.parse('2026-01-01T12:00:00Z'), Date.parse('2027-01-01T12:00:00Z')]
    for (let now = from; now <= to; now += HOUR_MS / 12) {
      for (const ms of apartMs) {
        const at = new Date(now + ms)
        if (!next || next > at) continue
        const time = timeToRun({ ...clock, catchUp: true }, next, at)
        if (time) started.push(time.toISOString())
        next = nextTime(clock, at)
      }
    }
    expect(started).toHaveLength(365)
    expect(new Set(started).size).toBe(365)
  })

  test('are each hour of the days on which the clock changes once', () => {
    for (const day of ['2026-03-28', '2026-10-24']) {
      const from = new Date(`${day}T12:30:00Z`)
      const to = new Date(from.getTime() + 24 * HOUR_MS).toISOString()
      const clock = { cron: '0 * * * *', timeZone: 'Europe/Berlin' }
      expect(new Set(starts(clock, from.toISOString(), to, HOUR_MS / 4)).size).toBe(24)
    }
  })

  test('that nobody looked at are made up for by one run, or by none', () => {
    const clock = { cron: '*/5 * * * *', timeZone: 'UTC' }
    const [first, now] = [new Date('2026-05-01T10:05:00Z'), new Date('2026-05-03T07:12:00Z')]
    expect(timeToRun({ ...clock, catchUp: true }, first, now)?.toISOString()).toBe('2026-05-03T07:10:00.000Z')
    expect(timeToRun({ ...clock, catchUp: false }, first, now)).toBeNull()
    const soon = new Date('2026-05-03T07:10:20Z')
    expect(timeToRun({ ...clock, catchUp: false }, first, soon)?.toISOString()).toBe('2026-05-03T07:10:00.000Z')
    expect(timeToRun({ ...clock, catchUp: true }, first, first)).toEqual(first)
  })
})

describe('a schedule', () => {
  let world: World

  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world.close())

  let jobs = 0

  async function scheduled(jobConfig: object = {}): Promise<string> {
    jobs += 1
    const app = {
      name: `Job ${jobs}`,
      port: undefined,
      dockerPreset: 'JOB',
      jobConfig: { command: 'import', ...jobConfig },
    }
    const { appEnvId } = await world.appEnv({ app })
    await world.deploy(appEnvId)
    await world.perform(setJobSchedule, { appEnvId, cron: '*/5 * * * *', timeZone: 'Europe/Berlin' })
    return appEnvId
  }

  const due = (appEnvId: string, agoMs = HOUR_MS) =>
    world.database.jobSchedule.update({ where: { appEnvId }, data: { nextAt: new Date(Date.now() - agoMs) } })
  const runsOf = (appEnvId: string) => world.database.jobRun.findMany({ where: { appEnvId }, orderBy: { id: 'asc' } })

  test('shows its next five times, and grows its revision', async () => {
    const appEnvId = await scheduled()
    const set = { appEnvId, cron: '0 3 * * *', timeZone: 'UTC', revision: 1 }
    const answer = await world.perform(setJobSchedule, set)
    expect(answer).toMatchObject({ revision: 2, enabled: true })
    expect(answer.nextRuns).toHaveLength(5)
    await expect(world.perform(setJobSchedule, set)).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
    expect(await world.perform(setJobSchedule, { ...set, revision: 2, enabled: false })).toMatchObject({ nextRuns: [] })
  })

  test('starts one run for all times that passed, however many workers look', async () => {
    const appEnvId = await scheduled()
    await due(appEnvId)
    await Promise.all(Array.from({ length: 8 }, () => beginDueJobRuns(world)))
    const runs = await runsOf(appEnvId)
    expect(runs).toMatchObject([{ trigger: 'SCHEDULE', status: 'QUEUED', requestedBy: null }])
    // A worker whose clock, or copy of the next time, is behind.
    await due(appEnvId, 1)
    await world.database.jobSchedule.update({ where: { appEnvId }, data: { nextAt: runs[0]?.scheduledFor ?? null } })
    await beginDueJobRuns(world)
    expect(new Set((await runsOf(appEnvId)).map(({ scheduledFor }) => scheduledFor?.getTime())).size).toBe(
      (await runsOf(appEnvId)).length,
    )
  })

  test('goes by the clock of the database, whatever those of the workers show', async () => {
    const appEnvId = await scheduled()
    await due(appEnvId, -2 * 60_000)
    const { database, config, vault, log } = world
    const lookAt = async (offsetMs: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offsetMs })
      try {
        return await beginDueJobRuns({ database, config, vault, log })
      } finally {
        vi.useRealTimers()
      }
    }
    await lookAt(10 * 60_000)
    expect(await runsOf(appEnvId)).toHaveLength(0)
    await due(appEnvId, 1000)
    for (const offsetMs of [-7 * 60_000, 7 * 60_000, 0]) await lookAt(offsetMs)
    expect(await runsOf(appEnvId)).toHaveLength(1)
  })

  test('pauses while its environment is stopped, and says when the next one is due', async () => {
    const appEnvId = await scheduled()
    await world.endOperation((await world.perform(stopAppEnv, { appEnvId })).operationId)
    await due(appEnvId)
    const seconds = await beginDueJobRuns(world)
    expect(await runsOf(appEnvId)).toEqual([])
    expect(seconds).toBeLessThanOrEqual(300)
  })

  test('records a time that its policy refuses', async () => {
    const appEnvId = await scheduled({ concurrencyPolicy: 'REJECT' })
    await world.perform(createJobRun, { appEnvId })
    await due(appEnvId)
    await beginDueJobRuns(world)
    expect(await runsOf(appEnvId)).toMatchObject([
      { status: 'QUEUED' },
      { status: 'CANCELLED', reason: 'CONCURRENCY_LIMIT', trigger: 'SCHEDULE' },
    ])
  })

  test('replaces a run although the queue is full, and none when it is refused', async () => {
    const appEnvId = await scheduled({ concurrencyPolicy: 'REPLACE' })
    const tools = { ...world, config: { ...world.config, BERTH_JOB_QUEUE: 2 } }
    const statuses = async () => (await runsOf(appEnvId)).map(({ status }) => status)
    const begun = async () => {
      await world.database.jobSchedule.update({ where: { appEnvId }, data: { cron: '* * * * *' } })
      await world.database.jobRun.updateMany({ where: { appEnvId }, data: { scheduledFor: null } })
      await due(appEnvId)
      await beginDueJobRuns(tools)
    }
    for (let run = 0; run < 3; run += 1) {
      await begun()
      await world.database.jobRun.updateMany({ where: { appEnvId, status: 'QUEUED' }, data: { status: 'RUNNING' } })
    }
    expect(await statuses()).toEqual(['RUNNING', 'RUNNING', 'RUNNING'])
    await begun()
    const runs = await runsOf(appEnvId)
    expect(runs.map(({ cancelReason }) => cancelReason)).toEqual(['REPLACED', 'REPLACED', null, null])
    expect(runs[3]).toMatchObject({ status: 'CANCELLED', reason: 'QUEUE_FULL' })
  })

  test('that cannot be read holds up no other one, and is tried again later', async () => {
    const [broken, other] = [await scheduled(), await scheduled()]
    await world.database.jobSchedule.update({ where: { appEnvId: broken }, data: { timeZone: 'Mars/Olympus' } })
    await due(broken, 2 * HOUR_MS)
    await due(other)
    await beginDueJobRuns(world)
    expect(await runsOf(other)).toMatchObject([{ trigger: 'SCHEDULE' }])
    expect(await runsOf(broken)).toEqual([])
    const { nextAt } = await world.database.jobSchedule.findUniqueOrThrow({ where: { appEnvId: broken } })
    expect(nextAt?.getTime()).toBeGreaterThan(Date.now())
    await world.database.jobSchedule.update({ where: { appEnvId: broken }, data: { timeZone: 'UTC' } })
    await due(broken)
    await beginDueJobRuns(world)
    expect(await runsOf(broken)).toHaveLength(1)
  })
})
