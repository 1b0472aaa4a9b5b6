import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { eventually } from '../worker/fixtures.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { createService, inService, type Service } from './service-world.ts'

const TIMEOUT_MS = 240_000

let berth: TestPlatform
let service: Service | null = null

beforeAll(async () => {
  berth = await startTestPlatform({
    BERTH_READY_TIMEOUT_SECONDS: '120',
    BERTH_RECONCILE_SECONDS: '1',
    BERTH_SERVICE_METRICS_SECONDS: '1',
    BERTH_DRAIN_SECONDS: '60',
  })
  service = await createService(berth, 'POSTGRESQL', { databaseSettings: { log_min_duration_statement: 0 } })
}, TIMEOUT_MS)
beforeEach(({ skip }) => skip(service === null))
afterAll(() => berth?.stop())

const END_METRICS = `
  while sleep 0.02; do
    for process in /proc/[1-9]*; do
      case "$(cat $process/environ 2>/dev/null | tr '\\0' '\\n')" in
        *BERTH_COMMAND=metrics\\;*) kill -s KILL "\${process#/proc/}" ;;
      esac
    done
  done`

const there = () => service?.appEnvId ?? ''
const sql = (text: string) =>
  inService(berth, there(), ['psql', '-qAt', '--username=berth', '--dbname=berth', '-v', 'ON_ERROR_STOP=1'], text)

interface Metrics {
  serviceMetrics: { name: string; value: number | null; updatedAt: string | null }[]
}

const metrics = async () => (await berth.ok<Metrics>('GET', `/app-env/metrics?appEnvId=${there()}`)).serviceMetrics
const valueNamed = async (name: string) => (await metrics()).find((one) => one.name === name)?.value

test('a service shows its connections while they are open, and its size', { timeout: TIMEOUT_MS }, async () => {
  const asleep = [1, 2, 3].map(() => sql('SELECT pg_sleep(600)').catch(() => ''))
  await eventually(
    () => valueNamed('active_operations'),
    (active) => active === 3,
  )
  await sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)';")
  await Promise.all(asleep)
  await eventually(
    () => valueNamed('connections'),
    (open) => open === 0,
  )
  expect(await valueNamed('disk_usage')).toBeGreaterThan(10)
  const { points } = await berth.ok<{ points: { value: number }[] }>(
    'GET',
    `/app-env/metrics-series?appEnvId=${there()}&metric=connections`,
  )
  expect(points.some(({ value }) => value > 0)).toBe(true)
})

interface Line {
  message: string
  level: string | null
}

const logs = async (search: string) =>
  (await berth.ok<{ logs: Line[] }>('GET', `/logs?appEnvId=${there()}&type=DATABASE&search=${search}`)).logs

test('its log has slow statements and levels, and no secrets', { timeout: TIMEOUT_MS }, async () => {
  await sql("CREATE TABLE slow (n int); CREATE USER other PASSWORD 'canary-of-a-statement';")
  await sql('SELECT * FROM missing;').catch(() => '')
  const [statement] = await eventually(
    () => logs('CREATE USER other'),
    (lines) => lines.length > 0,
  )
  expect(statement).toMatchObject({ level: 'INFO', message: expect.stringMatching(/duration: .*PASSWORD '\*\*\*'/) })
  const errors = await eventually(
    () => logs('relation "missing"'),
    (lines) => lines.length > 0,
  )
  expect(errors.map(({ level }) => level)).toContain('ERROR')
  await berth.ok('POST', '/app-env/credentials/rotate', { appEnvId: there() }, { prefer: 'wait=120' })
  const { password } = await berth.ok<{ password: string }>('GET', `/app-env/credentials?appEnvId=${there()}`)
  await sql('SELECT 1 AS after_rotation;')
  await eventually(
    () => logs('after_rotation'),
    (lines) => lines.length > 0,
  )
  const kept = await berth.database.logLine.findMany({ select: { message: true } })
  const text = kept.map(({ message }) => message).join('\n')
  for (const secret of ['canary', password, 'SCRAM-SHA-256']) expect(text).not.toContain(secret)
})

test('clients have the drain time to finish when it is deployed again', { timeout: TIMEOUT_MS }, async ({ skip }) => {
  // Its server ends at once when it is asked to, whoever is connected.
  const redis = await createService(berth, 'REDIS')
  if (!redis) return skip('There is no image of Redis')
  const { appEnvId } = redis
  const waits = inService(berth, appEnvId, ['redis-cli', '-e', 'blpop', 'nothing', '8'])
  await eventually(
    () => berth.ok<Metrics>('GET', `/app-env/metrics?appEnvId=${appEnvId}`),
    ({ serviceMetrics }) => serviceMetrics.some(({ name, value }) => name === 'blocked_clients' && value === 1),
  )
  // Whatever asks for metrics meanwhile ends the question before its own.
  void inService(berth, appEnvId, ['sh', '-c', END_METRICS]).catch(() => {})
  const redeployed = berth.ok<{ success: boolean }>('POST', '/app-env/redeploy', { appEnvId }, { prefer: 'wait=120' })
  expect(await waits).toBe('\n')
  expect(await redeployed).toMatchObject({ success: true })
})
