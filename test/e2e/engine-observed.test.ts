import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EngineCommand } from '../../src/app-types/engines/engine.ts'
import { levelOf, SecretFilter } from '../../src/app-types/engines/engine-logs.ts'
import { type Reading, readingOf } from '../../src/app-types/engines/engine-metrics.ts'
import { engineVersion } from '../../src/app-types/engines/engines.ts'
import { ENGINES } from '../../src/app-types/engines/list.ts'
import { ensureEngineImages } from '../support/engines/ensure-image.ts'
import { EngineWorld, newCredentials, type Outcome, type RunningEngine } from '../support/engines/running-engine.ts'
import { repetitions } from '../support/repetitions.ts'
import { eventually } from '../worker/fixtures.ts'
import { bash, CLIENTS } from './engine-clients.ts'

/** The stand-ins of the others are no servers of their vendors: they count nothing and have no such logs. */
const WITH_SERVERS = ['POSTGRESQL', 'MYSQL', 'REDIS', 'RABBITMQ']
/** PostgreSQL is observed by service-observed.test.ts as well. */
const OBSERVED = repetitions(['MYSQL', 'REDIS'], WITH_SERVERS)

const described = ENGINES.flatMap((engine) => {
  const client = CLIENTS[engine.name]
  if (client && OBSERVED.includes(engine.name)) return [[engine.name, engine, client] as const]
  if (client && WITH_SERVERS.includes(engine.name)) return []
  console.info(`Skipped: metrics and logs of ${engine.title} are compared with its documentation only`)
  return []
})

/** Not reported by every server: replicas, and reads that nobody made. */
const CONDITIONAL = ['replication_lag', 'cache_hit_rate']

/** A client that stays, and statements with a secret, for engines that log statements. */
const CLIENT_STATEMENTS: Readonly<Record<string, { stay: string; secret: string; logged: RegExp }>> = {
  POSTGRESQL: {
    // Idle, while another program runs.
    stay: 'psql "$URL" -c "select 1" -c "\\! sleep 60"',
    secret: `psql "$URL" -c "create user other
      password 'canary-of-a-statement'"`,
    logged: /create user other/,
  },
  MYSQL: {
    stay: mysql('select sleep(60)'),
    secret: mysql(`select 1 as password, "canary-of-a-statement"`),
    logged: /select 1 as password, "\*\*\*"/,
  },
  REDIS: {
    stay: 'redis-cli -u "$URL" blpop nothing 60',
    secret: 'redis-cli -u "$URL" -e acl setuser other on ">canary-of-a-statement"; redis-cli -u "$URL" -e set shown 1',
    logged: /slow command: [\d.]+ ms, from [\d.:]+: \["set","shown","1"\]/,
  },
}

function mysql(statement: string): string {
  return `[[ $URL =~ ^mysql://(.*):(.*)@(.*):(.*)/(.*)$ ]]
    export MYSQL_PWD="\${BASH_REMATCH[2]}"
    mysql --protocol=tcp --user="\${BASH_REMATCH[1]}" --host="\${BASH_REMATCH[3]}" --execute='${statement}'`
}

function succeeded({ code, stdout, stderr }: Outcome): string {
  if (code !== 0) throw new Error(`The command ended with ${code}: ${stderr}`)
  return stdout.toString()
}

describe.each(described)('%s', (name, engine, client) => {
  const version = engineVersion(engine, null)
  if (!version) throw new Error(`${engine.name} has no default version`)
  const world = new EngineWorld(engine, version)
  const statements = CLIENT_STATEMENTS[name]
  let credentials = newCredentials(engine.user)
  let running: RunningEngine
  let clients: RunningEngine
  let isAvailable = false

  beforeAll(async () => {
    isAvailable = await ensureEngineImages(world.docker, engine)
    if (!isAvailable) return
    // Everything is slow, also what the image does at its first start.
    if (engine.logs.slow) world.settings = { [engine.logs.slow]: 0 }
    await world.open()
    clients = await world.client()
    running = await world.run(await world.volume(), credentials)
    await running.ready()
  }, 240_000)
  beforeEach(({ skip }) => skip(!isAvailable))
  afterAll(() => world[Symbol.asyncDispose]())

  const ask = async (script: string) => {
    const url = engine.url(credentials, { host: await running.address(), port: engine.port })
    return clients.exec(bash(script), { environment: { URL: url } })
  }
  const run = async (command: EngineCommand) =>
    succeeded(await running.exec(command, { environment: world.describe(credentials).environment }))
  const read = async (): Promise<Reading> => readingOf(await run(engine.metrics.command), performance.now())
  const measure = async (before: Reading | null = null) => {
    const now = await read()
    return Object.fromEntries(engine.metrics.series.map(({ name, value }) => [name, value(now, before)]))
  }

  test('reports each of its metrics', async () => {
    succeeded(await ask(client.write))
    const before = await read()
    succeeded(await ask(client.fingerprint))
    const measured = await measure(before)
    console.info(name, measured)
    for (const [series, value] of Object.entries(measured)) {
      if (CONDITIONAL.includes(series) && value === null) continue
      expect(value, series).toBeGreaterThanOrEqual(0)
    }
    expect(measured.disk_usage).toBeGreaterThan(0)
    // What the engine has done meanwhile.
    expect(measured.operations ?? measured.transactions).toBeGreaterThan(0)
  }, 120_000)

  test('counts the connections of clients, and not its own', async ({ skip }) => {
    if (!statements) return skip(`${name} has no client that stays`)
    const stays = [ask(statements.stay), ask(statements.stay)]
    await eventually(
      () => measure(),
      ({ connections }) => connections === 2,
    )
    // Ends them.
    await clients.exec(bash('kill $(grep -la -e psql -e "sleep(60)" -e blpop /proc/[0-9]*/cmdline | cut -d/ -f3)'))
    await Promise.all(stays)
    await eventually(
      () => measure(),
      ({ connections }) => connections === 0,
    )
  }, 120_000)

  test('logs slow statements and levels, and no secrets, also while credentials are rotated', async () => {
    if (statements) await ask(statements.secret)
    const next = newCredentials(engine.user)
    const passwords = { OLD_PASSWORD: credentials.password, OLD_ADMIN_PASSWORD: credentials.adminPassword }
    const nexts = { NEW_PASSWORD: next.password, NEW_ADMIN_PASSWORD: next.adminPassword }
    const environment = { ...world.describe(credentials).environment, ...passwords, ...nexts }
    for (let time = 0; time < 2; time += 1) succeeded(await running.exec(engine.rotate, { environment }))
    credentials = next
    if (engine.logs.copy) for (let time = 0; time < 2; time += 1) await run(engine.logs.copy)
    const { stdout, stderr } = await running.output()
    // The server itself hides it, or there is something to hide.
    if (statements && name !== 'REDIS') expect([...stdout, ...stderr].join()).toContain('canary-of-a-statement')
    const kept = [stdout, stderr].flatMap((lines) => {
      const filter = new SecretFilter(engine.logs)
      return lines.map((line) => filter.hide(line))
    })
    const text = kept.join('\n')
    expect(text).not.toContain('canary')
    if (statements) expect(text.match(new RegExp(statements.logged, 'g')), text.slice(-3000)).toHaveLength(1)
    expect(kept.map((line) => levelOf(engine.logs, line))).toContain('INFO')
    const words = kept.filter((line) => /\b(error|fatal)\b/i.test(line)).length
    console.info(name, `${kept.length} lines, ${words} with errors`)
  }, 120_000)
})
