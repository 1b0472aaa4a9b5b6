// npm run prove -- supervisor [--rounds 5 --minutes 10]
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { loadApp } from './app-load.ts'
import { descendantsOf, memoryOf } from './process-tree.ts'
import { type SupervisedBerth, startSupervisedBerth, until } from './supervised-berth.ts'

const INGRESS_LIMIT_MS = 1_000
/** A restart that comes later than this after the one before is not put off. */
const HEALTHY_MS = 12_000
const IDLE_MS = 30_000
const POLL_MS = 100
const PARTS = [
  ['npm', /^npm |^sh /],
  ['supervisor', /berth\.mjs/],
  ['api and worker', /--roles=api/],
  ['ingress', /--roles=ingress/],
  ['PostgreSQL', /postgres/],
] as const

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, minutes: { type: 'string', default: '10' } },
})
const rounds = Number(values.rounds)
let failed = 0

const berth = await startSupervisedBerth({ command: ['npm', 'start'] })
try {
  const host = await berth.deploySample()
  await pause(IDLE_MS)
  console.log(`memory, idle: ${memory(berth)}`)
  await killControlPlane(berth, host)
  await killIngress(berth, host)
  await pollFor(berth, host, Number(values.minutes))
  console.log(`memory, after ${values.minutes} minutes of polling: ${memory(berth)}`)
} finally {
  await berth.close()
}
process.exitCode = failed === 0 ? 0 : 1

/** Of npm, the supervisor, its processes and PostgreSQL. */
function memory({ pid, databaseProcess }: SupervisedBerth): string {
  const all = descendantsOf(pid, databaseProcess() ?? 0)
  const parts = PARTS.map(([name, pattern]) => {
    const { rss, pss } = memoryOf(all.filter(({ command }) => pattern.test(command)))
    return `${name} ${rss.toFixed(0)} (${pss.toFixed(0)})`
  })
  const { rss, pss } = memoryOf(all)
  return `${rss.toFixed(0)} MB resident (${pss.toFixed(0)} MB with shared pages counted once): ${parts.join(', ')}`
}

async function killControlPlane(berth: SupervisedBerth, host: string): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const load = loadApp({ port: berth.ingressPort, host })
    await until(() => load.answered() > 100)
    const killedAt = performance.now()
    process.kill(berth.processOf('api'), 'SIGKILL')
    await until(berth.isReady)
    const backMs = performance.now() - killedAt
    await pause(HEALTHY_MS)
    await load.stop()
    const [first] = load.failures
    if (first) failed += 1
    console.log(
      `SIGKILL of api and worker: ${load.failures.length} of ${load.answered()} requests failed${first ? ` (${first})` : ''}; back after ${backMs.toFixed(0)} ms`,
    )
  }
}

async function killIngress(berth: SupervisedBerth, host: string): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const killedAt = performance.now()
    process.kill(berth.processOf('ingress'), 'SIGKILL')
    await until(() => answers(berth.ingressPort, host))
    const backMs = performance.now() - killedAt
    if (backMs >= INGRESS_LIMIT_MS) failed += 1
    console.log(`SIGKILL of the ingress: the app answers again after ${backMs.toFixed(0)} ms`)
    await pause(HEALTHY_MS)
  }
}

/** A client that asks for the state of things, as a dashboard does, and clients of the app. */
async function pollFor(berth: SupervisedBerth, host: string, minutes: number): Promise<void> {
  const load = loadApp({ port: berth.ingressPort, host })
  const end = performance.now() + minutes * 60_000
  while (performance.now() < end) {
    await berth.call('GET', '/api/public/v1/apps?limit=20')
    await berth.call('POST', '/graphql', { query: '{ me { email } }' })
    await pause(POLL_MS)
  }
  await load.stop()
  if (load.failures.length > 0) failed += 1
  console.log(`polling: ${load.failures.length} of ${load.answered()} requests to the app failed`)
}

function answers(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = request({ port, host: '127.0.0.1', headers: { host }, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    asking.once('error', () => resolve(false))
    asking.end()
  })
}
