import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lineOf } from '../../../src/domain/usage-price.ts'
import type { Failpoint } from '../../../src/fault-injection/failpoint.ts'
import { updatePlan } from '../../../src/services/plan/plan-commands.ts'
import { recordPrices } from '../../../src/storage/usage/prices.ts'
import { freezeStatements } from '../../../src/storage/usage/statements.ts'
import { readUsage } from '../../../src/storage/usage/usage-lines.ts'
import { recordSighting } from '../../../src/storage/usage/usage-log.ts'
import { verifyStatements } from '../../../src/storage/usage/verify-statements.ts'
import { Orders } from '../../crash/harness/orders.ts'
import { createWorld, type World } from '../../support/world.ts'
import { carryOut, type Look, looksAt, type ScriptedContainer, time } from './scripted-day.ts'

/** 100 millionths for a second of a zCloud, 200 for one of a job, a hundredth of one for a second of a frozen MB. */
const PRICES = { zCloudHourPrice: 360_000, jobZCloudHourPrice: 720_000, frozenGbMonthPrice: 26_542_080 }

/** Nobody looks between 04:00 and 07:00, nor between 11:00 and 12:30. */
const TIMES = [
  '2031-06-09T23:00:00',
  '2031-06-10T00:30:00',
  '2031-06-10T03:50:00',
  '2031-06-10T07:00:00',
  '2031-06-10T08:10:00',
  '2031-06-10T08:11:00',
  '2031-06-10T09:00:00',
  '2031-06-10T10:10:00',
  '2031-06-10T10:20:00',
  '2031-06-10T11:00:00',
  '2031-06-10T12:30:00',
  '2031-06-10T13:30:00',
  '2031-06-10T15:30:00',
  '2031-06-10T23:30:00',
  '2031-06-11T00:30:00',
  '2031-06-11T02:00:00',
]
/** Half a second before Berth removes a container that it has stopped. */
const REMOVALS = ['2031-06-10T09:30:00.500', '2031-06-10T12:40:01', '2031-06-10T14:00:00.500', '2031-06-11T01:00:01']

let world: World
let folder: string
const envs: Record<string, { appId: string; appEnvId: string; contentId: string }> = {}
let script: Look[]

beforeAll(async () => {
  world = await createWorld()
  folder = await mkdtemp(join(tmpdir(), 'berth-usage-'))
  const { accountId, database } = world
  for (const [name, zClouds] of Object.entries({ shop: 2, gone: 1, asleep: 1, crashing: 1 })) {
    const { appId, appEnvId } = await world.appEnv({ app: { name }, zClouds })
    envs[name] = { appId, appEnvId, contentId: await world.deploy(appEnvId) }
  }
  await world.perform(updatePlan, { plan: 'standard', ...PRICES })
  await recordPrices(database)
  await database.usageAccount.upsert({
    where: { accountId },
    create: { accountId, openSince: time('2031-06-01T00:00:00') },
    update: { openSince: time('2031-06-01T00:00:00') },
  })
  script = looksAt(containersOf(accountId), TIMES, REMOVALS)
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await world?.close()
})

function containersOf(accountId: string): ScriptedContainer[] {
  const at = (name: string) => ({ accountId, ...(envs[name] as (typeof envs)[string]) })
  return [
    {
      // Crashes while all workers are down, and is replaced in the afternoon.
      containerId: 'shop-1',
      ...at('shop'),
      removedAt: '2031-06-10T14:00:01',
      runs: [
        ['2031-06-09T22:00:00', '2031-06-10T05:15:20'],
        ['2031-06-10T05:15:21', '2031-06-10T14:00:00'],
      ],
    },
    {
      containerId: 'shop-2',
      ...at('shop'),
      removedAt: '2031-06-11T01:00:02',
      runs: [['2031-06-10T13:59:30', '2031-06-11T01:00:00']],
    },
    {
      // Removed by hand while it runs.
      containerId: 'gone-1',
      ...at('gone'),
      removedAt: '2031-06-10T10:20:30',
      runs: [['2031-06-10T10:00:00', null]],
    },
    {
      containerId: 'asleep-1',
      ...at('asleep'),
      removedAt: '2031-06-10T09:30:01',
      runs: [['2031-06-10T08:00:00', '2031-06-10T09:30:00']],
      frozenFrom: '2031-06-10T08:10:30',
    },
    {
      // The engine keeps the last start and the last end: two runs that nobody saw are not counted.
      containerId: 'crashing-1',
      ...at('crashing'),
      removedAt: '2031-06-10T12:40:02',
      runs: [
        ['2031-06-10T12:00:00', '2031-06-10T12:00:05'],
        ['2031-06-10T12:00:06', '2031-06-10T12:00:12'],
        ['2031-06-10T12:00:14', '2031-06-10T12:40:00.500'],
      ],
    },
  ]
}

interface Child {
  point: Failpoint
  subject: string
  pass: number
  freezeAt?: string
}

/** A worker that meters the script from its beginning, and is killed in the middle of it. */
async function meterAndDie({ point, subject, pass, freezeAt }: Child): Promise<void> {
  const orders = new Orders(await mkdtemp(join(folder, 'orders-')))
  orders.arm({ point, subject, pass }, 'SIGKILL', `${point}-${subject}-${pass}`)
  const given = { url: world.url, ordersFolder: orders.folder, looks: freezeAt ? [] : script, freezeAt }
  const program = fileURLToPath(new URL('usage-process.ts', import.meta.url))
  const child = spawn(process.execPath, [program, JSON.stringify(given)], { stdio: ['ignore', 'inherit', 'inherit'] })
  const [, signal] = await once(child, 'exit')
  expect([signal, orders.isFired], `${point} ${pass}`).toEqual(['SIGKILL', true])
}

/** The end of a job run, as its worker records it. */
const endJob = () =>
  world.database.$transaction((tx) =>
    recordSighting(tx, {
      accountId: world.accountId,
      containerId: 'run-1',
      ...(envs.shop as (typeof envs)[string]),
      seen: {
        kind: 'JOB_RUN',
        runAt: time('2031-06-10T15:00:00.500'),
        finishedAt: time('2031-06-10T15:02:10.250'),
        seenAt: null,
        formerEndAt: null,
        restartCount: 0,
      },
    }),
  )

/** What `npm run usage:verify` prints; throws when it ends with another code than 0. */
async function verified(): Promise<string> {
  const program = fileURLToPath(new URL('../../../scripts/verify-usage.ts', import.meta.url))
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: world.url }
  return (await promisify(execFile)(process.execPath, [program], { env })).stdout
}

async function quantities(from: string, to: string): Promise<Record<string, string>> {
  const range = { accountId: world.accountId, from: time(from), to: time(to) }
  const names = new Map(Object.entries(envs).map(([name, { appEnvId }]) => [appEnvId, name]))
  const lines = (await readUsage(world.database, range)).map(lineOf)
  return Object.fromEntries(
    lines.map(({ day, appEnvId, kind, quantity }) => [`${day} ${names.get(appEnvId)} ${kind}`, quantity]),
  )
}

/** zClouds × seconds, and MB × seconds of what is frozen. */
const BY_HAND = {
  // 22:00 to 24:00
  '2031-06-09 shop COMPUTE': String(2 * 7_200),
  // 00:00:00 to 05:15:20, 05:15:21 to 14:00:00, and the new container from 13:59:30 on
  '2031-06-10 shop COMPUTE': String(2 * (18_920 + 31_479 + 36_030)),
  // 15:00:00.500 to 15:02:10.250
  '2031-06-10 shop JOB_RUN': String(2 * 129.75),
  // 10:00:00 until it was last seen, at 10:20:00
  '2031-06-10 gone COMPUTE': '1200',
  // Seen running until 08:10:00, and frozen from 08:11:00 to 09:30:00
  '2031-06-10 asleep COMPUTE': '600',
  '2031-06-10 asleep FROZEN': String(512 * 4_740),
  // 12:00:14 to 12:40:00.500
  '2031-06-10 crashing COMPUTE': '2386.5',
  // 00:00 to 01:00
  '2031-06-11 shop COMPUTE': String(2 * 3_600),
}
const WHOLE = ['2031-06-01T00:00:00', '2031-07-01T00:00:00'] as const

test('a day with crashes, killed workers and two workers at once is what it is by hand, to the second', async () => {
  const { shop, asleep } = envs
  // Before the first look is whole, in the middle of an interval, and between two containers.
  await meterAndDie({ point: 'usage.recorded', subject: shop?.appEnvId ?? '', pass: 1 })
  await meterAndDie({ point: 'usage.written', subject: '', pass: 4 })
  await meterAndDie({ point: 'usage.written', subject: shop?.appEnvId ?? '', pass: 1 })
  await meterAndDie({ point: 'usage.written', subject: asleep?.appEnvId ?? '', pass: 1 })
  await endJob()
  await Promise.all([carryOut(world.database, script), carryOut(world.database, script), endJob()])
  expect(await quantities(...WHOLE)).toEqual(BY_HAND)
  // Any part of it can be asked for.
  expect(await quantities('2031-06-10T05:15:00', '2031-06-10T05:16:00')).toEqual({
    '2031-06-10 shop COMPUTE': String(2 * 59),
  })
  const open = await world.database.usageInterval.count({ where: { hasEnded: false } })
  expect(open).toBe(0)
})

test('a replay of everything that was seen changes nothing', async () => {
  await carryOut(world.database, script)
  await endJob()
  expect(await quantities(...WHOLE)).toEqual(BY_HAND)
})

test('a month is closed once, waits for what may still run, and is what the log says for ever', async () => {
  const { database, accountId } = world
  const close = (now: string) => freezeStatements(database, { now: time(now), currency: 'EUR' })
  const { shop } = envs
  const container = (runs: ScriptedContainer['runs']) =>
    ({
      containerId: 'late-1',
      accountId,
      ...shop,
      removedAt: null,
      runs,
    }) as ScriptedContainer
  const late = container([['2031-06-30T23:00:00', null]])
  await carryOut(database, looksAt([late], ['2031-06-30T23:30:00']))

  expect(await close('2031-07-01T00:59:00')).toBe(0)
  // A container runs that nobody has seen since; a worker may be about to.
  expect(await close('2031-07-01T02:00:00')).toBe(0)
  await meterAndDie({ point: 'usage.closed', subject: '', pass: 1, freezeAt: '2031-07-04T00:00:00Z' })
  expect(await Promise.all([close('2031-07-04T00:00:00'), close('2031-07-04T00:00:00')])).toEqual([0, 0])

  const statement = await database.usageStatement.findFirstOrThrow({ where: { accountId } })
  const amounts = (statement.lines as unknown as { envName: string; kind: string; amount: string }[]).map((line) => [
    line.envName,
    line.kind,
    line.amount,
  ])
  // 19.4458 and 23:00 to 23:30 of the late one; 0.0519; 0.12; 0.06 and 0.0242688; 0.23865
  expect(Object.fromEntries(amounts.map(([name, kind, amount]) => [`${name?.split('-')[1]} ${kind}`, amount]))).toEqual(
    {
      'shop COMPUTE': '19.81',
      'shop JOB_RUN': '0.05',
      'gone COMPUTE': '0.12',
      'asleep COMPUTE': '0.06',
      'asleep FROZEN': '0.02',
      'crashing COMPUTE': '0.24',
    },
  )
  expect(statement).toMatchObject({ month: '2031-06', currency: 'EUR', total: '20.30' })

  // What becomes known now counts from the new month on.
  await carryOut(database, looksAt([late], ['2031-07-05T00:00:00']))
  await carryOut(database, script)
  expect(await quantities('2031-06-30T00:00:00', '2031-07-02T00:00:00')).toEqual({
    '2031-06-30 shop COMPUTE': String(2 * 1_800),
    '2031-07-01 shop COMPUTE': String(2 * 86_400),
  })
  const problems = async () =>
    (await Array.fromAsync(verifyStatements(database, 24))).map(({ month, problem }) => ({ month, problem }))
  expect(await problems()).toEqual([{ month: '2031-06', problem: null }])
  expect(await verified()).toMatch(/✓ 2031-06 acc_\w+ .*20\.30 EUR: as the usage log says\nAll 1 statements/)
  const forge = () =>
    database.$executeRaw`UPDATE usage_interval SET until = until + interval '1 hour' WHERE source_id = 'gone-1'`
  await expect(forge()).rejects.toThrow('cannot be changed')
  await expect(database.usageStatement.deleteMany()).rejects.toThrow('cannot be changed')
  await database.$executeRaw`ALTER TABLE usage_interval DISABLE TRIGGER usage_interval_is_append_only`
  await forge()
  expect((await problems())[0]?.problem).toContain('the statement says 1200 for 0.12, the usage log 4800 for 0.48')
  await expect(verified()).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('✗ 2031-06') })
})
