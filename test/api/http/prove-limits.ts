// npm run prove -- limits [--limit 3000 --seconds 20]
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { proveOnTestCluster } from '../../crash/harness/prove-on-test-cluster.ts'
import type { TestCluster } from '../../crash/harness/test-cluster.ts'
import { takeLowestPriority } from '../../trust/support/client-priority.ts'
import { OpenLoopClient } from '../../trust/support/open-loop-client.ts'
import type { OpenLoopReport } from '../../trust/support/open-loop-process.ts'

const TIMES = 5
const TOLERANCE = 0.05
const MAX_SLOWER = 2
/** So that the other token stays within its own limit. */
const OTHER_EVERY_MS = '20'
/** An address has a limit as well, which the flood uses up. */
const OTHER_ADDRESS = '127.0.0.2'

const { values } = parseArgs({
  options: { limit: { type: 'string', default: '3000' }, seconds: { type: 'string', default: '20' } },
})
const [limit, seconds] = [Number(values.limit), Number(values.seconds)]

let failed = 0
const claim = (holds: boolean, line: string) => {
  if (!holds) failed += 1
  console.log(`${holds ? '✓' : '✗'} ${line}`)
}

/** Which account a token counts in is that of its user. */
async function tokenOfAnother(cluster: TestCluster): Promise<string> {
  const { accountId } = await cluster.ok('POST', '/account', { name: 'Neighbour' })
  const email = 'neighbour@example.com'
  const { userId } = await cluster.ok('POST', '/account/member', { accountId, email, roles: ['ADMIN'] })
  const { token } = await cluster.ok('POST', '/token', { kind: 'USER', name: 'neighbour', userId })
  return String(token)
}

/** Evenly over the time, to both processes in turns; the statuses that came. */
async function flood(cluster: TestCluster, requests: number): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  const { api } = cluster.ports
  const began = performance.now()
  const asked: Promise<void>[] = []
  const ask = async (port: number | undefined) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/public/v1/accounts`, {
      headers: { authorization: cluster.token },
    })
    await answer.arrayBuffer()
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
  }
  while (asked.length < requests) {
    const due = Math.min(requests, ((performance.now() - began) / (seconds * 1000)) * requests)
    while (asked.length < due) asked.push(ask(api[asked.length % api.length]))
    await pause(5)
  }
  await Promise.all(asked)
  return statuses
}

/** By the second they were due in. */
const slowestOf = ({ slowest }: OpenLoopReport): string =>
  slowest
    .toSorted((one, other) => one.atMs - other.atMs)
    .map(({ atMs, tookMs }) => `${(atMs / 1000).toFixed(1)} s: ${tookMs.toFixed(0)} ms`)
    .join(', ')

await proveOnTestCluster(
  async (cluster) => {
    const [port] = cluster.ports.api
    const url = `http://127.0.0.1:${port}/api/public/v1/accounts`
    const host = `127.0.0.1:${port}`
    const client = await OpenLoopClient.start(url, host, await tokenOfAnother(cluster), OTHER_EVERY_MS, OTHER_ADDRESS)
    const quiet = await client.during(() => pause(seconds * 1000))
    await takeLowestPriority()
    console.log('The flooding client runs at the lowest priority, the other one always at the highest')
    let statuses = new Map<number, number>()
    const loud = await client.during(async () => {
      statuses = await flood(cluster, TIMES * limit)
    })
    client.end()
    const allowed = statuses.get(200) ?? 0
    console.log([...statuses].map(([status, count]) => `${count} × ${status}`).join(', '))
    claim(
      Math.abs(allowed - limit) <= TOLERANCE * limit,
      `${TIMES * limit} requests of one token to two API processes: ${allowed} allowed, the limit is ${limit}`,
    )
    for (const [name, { requests, failures, p50Ms, p99Ms }] of Object.entries({ quiet, loud }))
      console.log(
        `another token, ${name}: ${requests} requests, ${failures.length} failed, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
      )
    console.log(`the slowest of the loud ones: ${slowestOf(loud)}`)
    claim(quiet.failures.length + loud.failures.length === 0, 'no request of the other token failed')
    claim(
      loud.p99Ms <= MAX_SLOWER * quiet.p99Ms,
      `its p99 is ${(loud.p99Ms / quiet.p99Ms).toFixed(2)} of the quiet run's`,
    )
  },
  {
    processes: { api: 2, worker: 0, ingress: 0 },
    settings: { BERTH_RATE_LIMIT: String(limit) },
  },
)
console.log(failed === 0 ? '\n✓ holds' : `\n✗ ${failed} claims do not hold`)
process.exitCode = failed === 0 ? 0 : 1
