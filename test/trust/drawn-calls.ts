import { readdirSync, readFileSync, statfsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type Draw, drawOf } from '../hostile/draw.ts'
import { graphqlCase } from '../hostile/graphql-cases.ts'
import { inParallel } from '../hostile/in-parallel.ts'
import { restCase } from '../hostile/rest-cases.ts'
import { createTargets, type Targets } from '../hostile/targets.ts'
import { type Answer, leakIn } from '../hostile/verdict.ts'
import { createWire, type Sent, send, type Wire } from '../hostile/wire.ts'
import { startFreshBerth } from './fresh-berth.ts'
import { takeLowestPriority } from './support/client-priority.ts'
import { OpenLoopClient } from './support/open-loop-client.ts'
import { runningApp } from './support/running-app.ts'
import type { FreshBerth } from './trust-case.ts'

const AT_A_TIME = 6
const BATCH = 600
const QUIET_MS = 15_000
/** Until a worker has written what it writes by itself. */
const SETTLE_MS = 10_000
const MAX_RATIO = 2
const MAX_GROWTH_MB = 512
const ROUND_MS = 60_000
const SETTINGS = {
  BERTH_RATE_LIMIT: '10000000',
  BERTH_OPERATION_RATE_LIMIT: '100000',
  BERTH_ANONYMOUS_RATE_LIMIT: '10000000',
  BERTH_MAX_WAIT_SECONDS: '1',
  BERTH_OPERATION_ATTEMPTS: '1',
}
const PROGRAM = `require('node:http').createServer((_, response) => response.end('ok')).listen(3000)
process.on('SIGTERM', () => process.exit(0))`

/** What calls may not change in another account: all that its members wrote, and what was made for them. */
const TABLES = ['app', 'credential', 'webhook', 'git_hook', 'membership', 'invitation', 'volume', 'budget', 'backup']

/** Columns of these that a worker writes by itself, such as those of a webhook whose receiver does not answer. */
const OF_WORKERS =
  '{failing_since,read_sequence,is_full,due_at,lease_owner,lease_expires_at,lease_token,served_at,updated_at}'

interface Caller {
  name: string
  token: string
}

/**
 * Calls every route and every root field, with bodies that are drawn, as each kind of caller, half of the ids another
 * account's. Prints each minute what was answered, and what memory and disk are at. Returns whether all held.
 */
export async function proveDrawnCalls({ minutes, seed }: { minutes: number; seed: number }): Promise<boolean> {
  console.log(`seed ${seed}`)
  const { berth, close } = await startFreshBerth(SETTINGS)
  try {
    const port = Number(new URL(berth.url).port)
    const wireOf = (token: string) => createWire(port, token)
    const [own, others] = [await createTargets(wireOf(berth.adminToken)), await createTargets(wireOf(berth.adminToken))]
    const targets = halfOf(own, others)
    const callers = await callersOf(berth, own)
    const secrets = [berth.adminToken, ...callers.map(({ token }) => token)].filter((token) => token !== '')
    const victim = accountOf(others)
    await pause(SETTLE_MS)
    const before = await rowsOf(berth, victim)

    const { host } = await runningApp(berth, PROGRAM)
    const neighbour = await OpenLoopClient.start(berth.ingressUrl, host)
    const quiet = await neighbour.during(() => pause(QUIET_MS))
    await takeLowestPriority()
    const [room, memory] = [freeMb(berth.dataDir), memoryMb(berth)]
    const faults: string[] = []
    const statuses = new Map<number, number>()
    let sent = 0
    const end = performance.now() + minutes * 60_000
    const attacked = await neighbour.during(async () => {
      for (let printed = performance.now(); performance.now() < end && faults.length === 0; ) {
        const from = sent
        sent += BATCH
        await inParallel(BATCH, AT_A_TIME, async (offset) => {
          if (performance.now() > end) return
          const index = from + offset
          const caller = callers[index % callers.length] as Caller
          const call = callOf(drawOf(seed, index), targets, Math.floor(index / callers.length))
          const answer = await send(wires(caller, wireOf), call)
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          const fault = faultIn(
            answer,
            call,
            secrets.filter((secret) => secret !== caller.token),
          )
          if (fault)
            faults.push(
              `${index}, ${caller.name}: ${fault}: ${call.method} ${call.path.slice(0, 200)} ${String(call.body ?? '').slice(0, 400)} → ${answer.text.slice(0, 300)}`,
            )
        })
        await own.renew()
        if (performance.now() - printed < ROUND_MS) continue
        printed = performance.now()
        console.log(
          `  ${sent} calls, ${room - freeMb(berth.dataDir)} MB of disk and ${memoryMb(berth) - memory} MB of memory more`,
        )
      }
    })
    neighbour.end()
    const [grown, grownMemory] = [room - freeMb(berth.dataDir), memoryMb(berth) - memory]
    if (grownMemory > MAX_GROWTH_MB) faults.push(`${grownMemory} MB of memory were taken`)
    if (grown > MAX_GROWTH_MB) faults.push(`${grown} MB of disk were taken`)
    await pause(SETTLE_MS)
    const after = await rowsOf(berth, victim)
    for (const table of TABLES)
      if (before.get(table) !== after.get(table)) faults.push(`rows of another account changed in ${table}`)
    const ratio = attacked.p99Ms / quiet.p99Ms
    if (attacked.failures.length > 0) faults.push(`${attacked.failures.length} requests of the neighbour failed`)
    if (ratio > MAX_RATIO)
      faults.push(`the neighbour’s p99 was ${attacked.p99Ms.toFixed(1)} ms, ${quiet.p99Ms.toFixed(1)} ms in quiet`)
    const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
    console.log(`${sent} calls as ${callers.map(({ name }) => name).join(', ')}: ${counts.join(', ')}`)
    console.log(
      `neighbour: p99 ${attacked.p99Ms.toFixed(1)} ms, ${ratio.toFixed(2)} times that of quiet; ${grown} MB of disk and ${grownMemory} MB of memory more; ${TABLES.length} tables of another account compared`,
    )
    for (const fault of faults.slice(0, 10)) console.log(`✗ ${fault}`)
    return faults.length === 0
  } finally {
    await close()
  }
}

const kept = new Map<string, Wire>()
function wires({ name, token }: Caller, wireOf: (token: string) => Wire): Wire {
  const wire = kept.get(name) ?? wireOf(token)
  kept.set(name, wire)
  return wire
}

/** Takes turns: a route of REST, a root field of GraphQL. Subscriptions, whose answers do not end, are those of `hostile`. */
function callOf(draw: Draw, targets: Targets, number: number): Sent {
  const { kind, ...body } = graphqlCase(draw, targets, Math.floor(number / 2))
  if (number % 2 === 0 || kind === 'subscription') return restCase(draw, targets, Math.floor(number / 2))
  return { method: 'POST', path: '/graphql', headers: {}, body: JSON.stringify(body) }
}

function faultIn(answer: Answer, { path, body, headers }: Sent, secrets: readonly string[]): string | null {
  if (answer.status >= 500 || answer.status === 0) return `status ${answer.status}`
  if (secrets.some((secret) => answer.text.includes(secret))) return 'a token of another caller'
  if (/"code":"INTERNAL"/.test(answer.text)) return 'a fault of ours (INTERNAL)'
  const leak = leakIn(answer.text, `${path}${body ?? ''}${JSON.stringify(headers)}`)
  return leak ? `tells "${leak}"` : null
}

function halfOf(own: Targets, others: Targets): Targets {
  return {
    idFor: (field, draw) => (draw.chance(0.5) ? own : others).idFor(field, draw),
    learn: () => {},
    renew: () => own.renew(),
  }
}

const accountOf = (targets: Targets) => String(targets.idFor('accountId', drawOf(1, 1)))

async function callersOf(berth: FreshBerth, own: Targets): Promise<Caller[]> {
  const member = async (name: string, accountId: string, roles: string[]): Promise<Caller> => {
    const email = `${name.replaceAll(' ', '.')}@example.com`
    const { userId } = await berth.ok('POST', '/account/member', { accountId, email, roles })
    const { token } = await berth.ok('POST', '/token', { kind: 'USER', name, userId })
    return { name, token: String(token) }
  }
  const account = accountOf(own)
  const scoped = { kind: 'SCOPED', name: 'reads', scopes: ['svc:read'] }
  const viewer = await member('viewer', account, ['AUDIT'])
  const { token: without } = await berth.ok('POST', '/token', scoped, { token: viewer.token })
  return [
    { name: 'anonymous', token: '' },
    { name: 'token that may only read', token: String(without) },
    viewer,
    await member('member', account, ['TECHNICAL']),
    await member('owner', account, ['ADMIN']),
    await member(
      'owner of a third account',
      String((await berth.ok('POST', '/account', { name: 'third' })).accountId),
      ['ADMIN'],
    ),
  ]
}

/** Of each table, what the rows of an account are, as one hash. */
async function rowsOf({ databaseUrl }: FreshBerth, accountId: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const rows = new Map<string, string>()
    for (const table of TABLES) {
      const row = `(to_jsonb(t) - '${OF_WORKERS}'::text[])::text`
      const all = `SELECT count(*) AS count, md5(string_agg(${row}, '|' ORDER BY ${row})) AS hash FROM ${table} t`
      const found = await client.query(`${all} WHERE account_id = $1`, [accountId])
      rows.set(table, `${found.rows[0].count} ${found.rows[0].hash}`)
    }
    return rows
  } finally {
    await client.end()
  }
}

function freeMb(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return Math.round((bavail * bsize) / 1024 ** 2)
}

/** Of all processes that have this data directory among their settings. */
function memoryMb({ dataDir }: FreshBerth): number {
  const used = readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`BERTH_DATA_DIR=${dataDir}\0`)) return 0
        return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
      } catch {
        return 0
      }
    })
  return Math.round(used.reduce((sum, mb) => sum + mb, 0))
}
