import { cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { startFreshBerth } from './fresh-berth.ts'
import { takeLowestPriority } from './support/client-priority.ts'
import { newAccount } from './support/image-app.ts'
import { OpenLoopClient } from './support/open-loop-client.ts'
import type { OpenLoopReport } from './support/open-loop-process.ts'
import { runningApp } from './support/running-app.ts'
import type { FreshBerth, TrustCase } from './trust-case.ts'

const NUMBERS = [1, 2, 6, 7, 10]
const MAX_RATIO = 2
const PROGRAM = `require('node:http').createServer((_, response) => response.end('ok')).listen(3000)
process.on('SIGTERM', () => process.exit(0))`

interface NeighbourOptions {
  quietSeconds: number
  /** Of the attack: the slowest hundredth of one round is fifteen requests, and a matter of luck. */
  rounds: number
}

/** Whether an app of one account stays as quick as before while another account attacks. Prints the figures. */
export async function proveNeighbour(all: readonly TrustCase[], { quietSeconds, rounds }: NeighbourOptions) {
  const cases = all.filter(({ number }) => NUMBERS.includes(number))
  const settings = Object.assign({}, ...cases.map((one) => one.settings))
  const { berth, close } = await startFreshBerth(settings)
  const { host } = await runningApp(berth, PROGRAM)
  const client = await OpenLoopClient.start(berth.ingressUrl, host)
  try {
    const quiet = await measured(client, () => pause(quietSeconds * 1000))
    print('quiet', quiet)
    await takeLowestPriority()
    console.log('The attacking client runs at the lowest priority, the client of the app always at the highest')
    const ends: number[] = []
    const attacked = await measured(client, async () => {
      const begun = performance.now()
      for (let round = 0; round < rounds; round += 1) ends.push(...(await attack(berth, cases, begun)))
    })
    print('attacked', attacked)
    printSlowest(attacked, cases, ends)
    const ratio = attacked.p99Ms / quiet.p99Ms
    const holds = quiet.failures.length + attacked.failures.length === 0 && ratio < MAX_RATIO
    console.log(`${holds ? '✓' : '✗'} p99 while others attack is ${ratio.toFixed(2)} times that of the quiet run`)
    return holds
  } finally {
    client.end()
    await close()
  }
}

interface Phase extends OpenLoopReport {
  /** Share of the processors in use by anything on this machine: a quiet run on a busy one compares nothing. */
  busyShare: number
}

async function measured(client: OpenLoopClient, work: () => Promise<void>): Promise<Phase> {
  const before = processorTimes()
  const report = await client.during(work)
  const after = processorTimes()
  const busyShare = (after.busy - before.busy) / (after.all - before.all)
  return { ...report, busyShare }
}

function processorTimes(): { busy: number; all: number } {
  const times = cpus().map(({ times }) => times)
  const all = times.flatMap((one) => Object.values(one)).reduce((sum, ms) => sum + ms, 0)
  return { all, busy: all - times.reduce((sum, { idle }) => sum + idle, 0) }
}

/** When each case ended. Its own limits on time are for a client of normal priority, so they are printed only. */
async function attack(berth: FreshBerth, cases: readonly TrustCase[], begun: number): Promise<number[]> {
  const ends: number[] = []
  const attacker = await inOneAccount(berth)
  for (const { number, title, run } of cases) {
    const since = performance.now()
    const figure = await run(attacker).catch((error: Error) => `did not hold: ${error.message}`)
    console.log(`  ${number} ${title}: ${figure} (${Math.round(performance.now() - since)} ms)`)
    ends.push(performance.now() - begun)
  }
  return ends
}

/** During which case the slowest hundredth of the requests were: what to look at when the ratio does not hold. */
function printSlowest({ slowest }: Phase, cases: readonly TrustCase[], ends: readonly number[]): void {
  const caseAt = (atMs: number) => cases[ends.findIndex((end) => atMs < end) % cases.length]
  for (const one of cases) {
    const during = slowest.filter(({ atMs }) => caseAt(atMs) === one)
    const longest = Math.max(0, ...during.map(({ tookMs }) => tookMs))
    console.log(
      `  during ${one.number}: ${during.length} of the slowest ${slowest.length}, at most ${longest.toFixed(0)} ms`,
    )
  }
}

/** Cases make an account for each of their apps; here, all of them are in one. */
async function inOneAccount(berth: FreshBerth): Promise<FreshBerth> {
  const accountId = await newAccount(berth)
  const ok: FreshBerth['ok'] = async (method, path, body, options) =>
    method === 'POST' && path === '/account' ? { accountId } : berth.ok(method, path, body, options)
  return { ...berth, ok }
}

function print(name: string, { requests, failures, p50Ms, p99Ms, busyShare }: Phase): void {
  const first = failures[0] ? ` (${failures[0]})` : ''
  const latencies = `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`
  const busy = `processors ${Math.round(busyShare * 100)} % busy`
  console.log(`${name}: ${requests} requests, ${failures.length} failed${first}, ${latencies}; ${busy}`)
}
