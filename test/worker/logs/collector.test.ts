import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stopAppEnv } from '../../../src/services/lifecycle/stop.ts'
import { createHarbour, type Harbour } from '../fixtures.ts'
import { inMemory } from '../harbour-engine.ts'

/** Says so many numbered lines at once on stdout and every tenth on stderr too, then a last line when it is asked to end. */
const TALKER = `
const count = Number(process.env.LINES)
for (let n = 0; n < count; n += 1) { console.log('line ' + n); if (n % 10 === 0) console.error('mark ' + n) }
require('node:http').createServer((_, response) => response.end('ok')).listen(Number(process.env.PORT))
process.on('SIGTERM', () => { console.log('last words'); process.exit(0) })`

const LINES = 3_000
const TIMEOUT_MS = 120_000

let harbour: Harbour
/** With the machine's own engine. */
let real: Harbour

beforeAll(async () => {
  harbour = await createHarbour({}, await inMemory())
  real = await createHarbour()
})

afterAll(async () => {
  for (const one of [harbour, real]) await one?.close()
})

async function talker(lines: number, there = harbour): Promise<string> {
  const envVars = [{ name: 'LINES', value: String(lines) }]
  const startupConfig = { command: 'node', args: ['-e', TALKER], shell: false }
  return there.sample({ startupConfig, envVars })
}

const linesOf = async (appEnvId: string, { database } = harbour) => {
  const stream = await database.logStream.findFirst({ where: { appEnvId, kind: 'CONTAINERS' } })
  return stream ? database.logLine.findMany({ where: { logStreamId: stream.id }, orderBy: { number: 'asc' } }) : []
}

describe('what a container says', () => {
  test('is kept to its last line when it is removed, once, by three workers', { timeout: TIMEOUT_MS }, async () => {
    for (const _ of [1, 2, 3]) real.startWorker()
    const appEnvId = await talker(LINES, real)
    await real.ended(await real.deployment(appEnvId))
    await real.ended(await real.ask(stopAppEnv, appEnvId))
    const lines = await linesOf(appEnvId, real)
    const said = lines.filter(({ isError }) => !isError).map(({ message }) => message)
    expect(said).toEqual([...Array.from({ length: LINES }, (_, n) => `line ${n}`), 'last words'])
    expect(lines.filter(({ isError }) => isError)).toHaveLength(LINES / 10)
    expect(lines.map(({ number }) => number)).toEqual(lines.map((_, index) => BigInt(index + 1)))
    await real.stopWorkers()
  })

  test('is kept up to the cap, and the log says how many lines are not there', { timeout: TIMEOUT_MS }, async () => {
    const config = { ...harbour.config, BERTH_LOG_LINES_PER_MINUTE: 500 }
    harbour.startWorker({ config })
    const appEnvId = await talker(LINES)
    await harbour.ended(await harbour.deployment(appEnvId))
    await harbour.ended(await harbour.ask(stopAppEnv, appEnvId))
    const lines = await linesOf(appEnvId)
    const notices = lines.flatMap(({ message }) => /^\[berth\] (\d+) lines were dropped here/.exec(message)?.[1] ?? [])
    const dropped = notices.reduce((sum, count) => sum + Number(count), 0)
    expect(dropped).toBeGreaterThan(0)
    expect(lines.length - notices.length + dropped).toBe(LINES + LINES / 10 + 1)
    await harbour.stopWorkers()
  })

  test('is kept up to the budget of the account, of all its environments together', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const many = 12_000
    const config = { ...harbour.config, BERTH_LOG_MB_PER_MINUTE: 1 }
    harbour.startWorker({ config })
    const appEnvIds = await Promise.all([talker(many), talker(many)])
    const minutes = [Date.now()]
    for (const appEnvId of appEnvIds) await harbour.ended(await harbour.deployment(appEnvId))
    for (const appEnvId of appEnvIds) await harbour.ended(await harbour.ask(stopAppEnv, appEnvId))
    minutes.push(Date.now())
    const logs = await Promise.all(appEnvIds.map((id) => linesOf(id)))
    const notices = logs.flat().flatMap(({ message }) => /^\[berth\] (\d+) lines were dropped/.exec(message)?.[1] ?? [])
    const dropped = notices.reduce((sum, count) => sum + Number(count), 0)
    const kept = logs.flat().length - notices.length
    expect(kept + dropped).toBe(2 * (many + many / 10 + 1))
    const streams = await harbour.database.logStream.findMany({ where: { appEnvId: { in: appEnvIds } } })
    const bytes = streams.reduce((sum, stream) => sum + Number(stream.bytes), 0)
    const [from = 0, to = 0] = minutes.map((at) => Math.floor(at / 60_000))
    // A notice for each dropped stretch is over the budget.
    expect(bytes).toBeLessThanOrEqual((to - from + 1) * 1024 * 1024 + notices.length * 200)
    expect(dropped).toBeGreaterThan(0)
    await harbour.stopWorkers()
  })
})
