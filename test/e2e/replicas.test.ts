import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { repetitions } from '../support/repetitions.ts'
import { BY_PROGRAM, eventually } from '../worker/fixtures.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { createService, type Service } from './service-world.ts'

const TIMEOUT_MS = 300_000
/** Of a client that writes while the primary dies: without it, refused attempts would take a whole processor. */
const WRITE_PAUSE_MS = 150
const LOCAL = 'postgresql:///berth?user=berth'
const wait = { prefer: 'wait=200' }

interface Pod {
  name: string
  podId: string
  status: string
  isReplica: boolean
  containerReady: boolean
  replicationLagSeconds: number | null
}

/** What makes its containers again. */
const OPERATIONS = repetitions(
  ['credentials/rotate', 'stop', 'start'],
  ['credentials/rotate', 'redeploy', 'stop', 'start'],
)

let berth: TestPlatform
let service: Service | null = null

beforeAll(async () => {
  berth = await startTestPlatform({ BERTH_READY_TIMEOUT_SECONDS: '90', BERTH_RECONCILE_SECONDS: '2' })
  service = await createService(berth, 'POSTGRESQL', { containers: 2 })
}, TIMEOUT_MS)

afterAll(() => berth?.stop())

const there = () => service?.appEnvId ?? ''
const pods = async () => (await berth.ok<{ pods: Pod[] }>('GET', `/app-env/pods?appEnvId=${there()}`)).pods
const credentials = () =>
  berth.ok<{ internalUrl: string; readOnlyUrl: string | null; password: string }>(
    'GET',
    `/app-env/credentials?appEnvId=${there()}`,
  )

/** Runs psql in a container, against an address as the account's other containers know it. */
const psql = (pod: Pod, url: string, text: string): Promise<string> =>
  run(pod, ['psql', url, '-qAt', '-v', 'ON_ERROR_STOP=1', '-c', text])

async function run(pod: Pod, Cmd: string[]): Promise<string> {
  const container = berth.docker.getContainer(pod.podId)
  const exec = await container.exec({ Cmd, AttachStdout: true, AttachStderr: true })
  const stream = await exec.start({ hijack: true, stdin: false })
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  berth.docker.modem.demuxStream(stream, stdout, stderr)
  stream.on('end', () => [stdout, stderr].map((one) => one.end()))
  const [printed, errors] = await Promise.all([stdout.toArray(), stderr.toArray()])
  if ((await exec.inspect()).ExitCode !== 0) throw new Error(Buffer.concat(errors).toString())
  return Buffer.concat(printed).toString().trim()
}

/** Both run, the replica follows, and is shown so. */
async function following(): Promise<{ primary: Pod; replica: Pod }> {
  const found = await eventually(
    async () => (await pods()).filter(({ status }) => status === 'RUNNING'),
    (running) =>
      running.length === 2 &&
      running.every((pod) => pod.containerReady) &&
      running.some((pod) => pod.isReplica && pod.replicationLagSeconds !== null),
  )
  const [primary, replica] = [found.find((pod) => !pod.isReplica), found.find((pod) => pod.isReplica)]
  if (!primary || !replica) throw new Error('There is no primary, or no replica')
  return { primary, replica }
}

describe('PostgreSQL with a replica', () => {
  test('serves reads of what was written, and no writes, by the read-only URL', { timeout: TIMEOUT_MS }, async () => {
    const { primary, replica } = await following()
    const { internalUrl, readOnlyUrl = '' } = await credentials()
    expect(readOnlyUrl).toContain('@replicas.')
    await psql(
      replica,
      internalUrl,
      'CREATE TABLE thing (number int PRIMARY KEY); INSERT INTO thing SELECT generate_series(1, 1000);',
    )
    await eventually(
      () => psql(primary, readOnlyUrl ?? '', 'SELECT count(*) FROM thing').catch(() => ''),
      (count) => count === '1000',
      90,
      BY_PROGRAM,
    )
    await expect(psql(primary, readOnlyUrl ?? '', 'INSERT INTO thing VALUES (0)')).rejects.toThrow(
      'read-only transaction',
    )
    expect(await psql(primary, internalUrl, 'SELECT pg_is_in_recovery()')).toBe('f')
    await eventually(pods, (all) => all.some((pod) => pod.replicationLagSeconds === 0))
  })

  test('shows how far the replica is behind', { timeout: TIMEOUT_MS }, async () => {
    const { replica } = await following()
    const { internalUrl } = await credentials()
    await psql(replica, LOCAL, 'SELECT pg_wal_replay_pause()')
    await psql(replica, internalUrl, 'INSERT INTO thing VALUES (1001)')
    await eventually(pods, (all) => all.some((pod) => (pod.replicationLagSeconds ?? 0) > 1))
    await psql(replica, LOCAL, 'SELECT pg_wal_replay_resume()')
    await eventually(pods, (all) => all.some((pod) => pod.replicationLagSeconds === 0))
  })

  test('loses no acknowledged write when the primary is killed', { timeout: TIMEOUT_MS }, async () => {
    const { primary, replica } = await following()
    const { internalUrl, readOnlyUrl } = await credentials()
    const acknowledged: number[] = []
    let isOver = false
    const writing = (async () => {
      for (let number = 2000; !isOver && number < 3000; number += 1)
        await psql(replica, internalUrl, `INSERT INTO thing VALUES (${number})`)
          .then(
            () => acknowledged.push(number),
            () => {},
          )
          .then(() => sleep(WRITE_PAUSE_MS))
    })()
    await eventually(
      async () => acknowledged.length,
      (count) => count >= 5,
    )
    await berth.docker.getContainer(primary.podId).kill({ signal: 'SIGKILL' })
    const before = acknowledged.length
    await eventually(
      async () => acknowledged.length,
      (count) => count >= before + 5,
    )
    isOver = true
    await writing
    const list = `SELECT count(*) FROM thing WHERE number IN (${acknowledged.join(', ')})`
    expect(await psql(replica, internalUrl, list)).toBe(String(acknowledged.length))
    await eventually(
      () => psql(replica, readOnlyUrl ?? '', list).catch(() => ''),
      (count) => count === String(acknowledged.length),
      90,
      BY_PROGRAM,
    )
    console.log(`${acknowledged.length} acknowledged writes, ${before} before the kill: none lost`)
  })

  test('follows after a rotation, a stop and a start', { timeout: TIMEOUT_MS }, async () => {
    const before = await credentials()
    for (const path of OPERATIONS) {
      const done = await berth.ok<{ success: boolean; message: string }>(
        'POST',
        `/app-env/${path}`,
        { appEnvId: there() },
        wait,
      )
      expect(done.success, `${path}: ${done.message}`).toBe(true)
      if (path === 'stop') continue
      const { replica } = await following()
      const { internalUrl, readOnlyUrl } = await credentials()
      const [number] = [
        await psql(replica, internalUrl, 'INSERT INTO thing SELECT max(number) + 1 FROM thing RETURNING number'),
      ]
      await eventually(
        () => psql(replica, readOnlyUrl ?? '', `SELECT count(*) FROM thing WHERE number = ${number}`).catch(() => ''),
        (count) => count === '1',
        90,
        BY_PROGRAM,
      )
    }
    expect((await credentials()).password).not.toBe(before.password)
  })

  test('is one of several when they are asked for, and refused beyond the limit', { timeout: TIMEOUT_MS }, async () => {
    const scale = (containers: number) =>
      berth.rest('PATCH', '/app-env/scaling', { appEnvId: there(), containers, applyImmediately: true }, wait)
    const refused = await scale(6)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('from 1 to 5')])
    expect((await scale(3)).status).toBe(200)
    await eventually(pods, (all) => all.filter((pod) => pod.isReplica && pod.replicationLagSeconds === 0).length === 2)
    expect((await scale(1)).status).toBe(200)
    await eventually(pods, (all) => all.length === 1 && !all[0]?.isReplica)
    expect((await credentials()).readOnlyUrl).toBeNull()
  })
})

/** As of PostgreSQL, by other commands. */
const OTHERS = repetitions([], [['Redis', 'REDIS'] as const])

test.each(OTHERS)('%s with a replica: it serves reads, and the killed primary comes back', async (_title, preset) => {
  // Every write reaches the disk before it is acknowledged.
  service = await createService(berth, preset, { containers: 2, databaseSettings: { appendfsync: 'always' } })
  if (!service) return
  const { primary, replica } = await following()
  const { internalUrl, readOnlyUrl } = await credentials()
  const redis = (url: string | null, ...command: string[]) =>
    run(replica, ['redis-cli', '-e', '-u', url ?? '', ...command])
  for (let number = 1; number <= 20; number += 1) await redis(internalUrl, 'set', `k${number}`, `${number}`)
  await berth.docker.getContainer(primary.podId).kill({ signal: 'SIGKILL' })
  await eventually(
    () => redis(internalUrl, 'dbsize').catch(() => ''),
    (size) => size === '20',
    90,
    BY_PROGRAM,
  )
  await redis(internalUrl, 'set', 'k21', '21')
  await eventually(
    () => redis(readOnlyUrl, 'dbsize').catch(() => ''),
    (size) => size === '21',
    90,
    BY_PROGRAM,
  )
  await expect(redis(readOnlyUrl, 'set', 'k22', '22')).rejects.toThrow('READONLY')
  await following()
})
