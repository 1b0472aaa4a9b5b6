import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { finish } from '../crash/harness/subject.ts'
import type { TestCluster } from '../crash/harness/test-cluster.ts'
import { ask } from '../e2e/clients.ts'

const PAGE = 1_000
const BURST_LINES = 200
const BURST_MS = 20
const SEARCHES = 5
const DONE_WITHIN_SECONDS = 120

/** Says numbered lines in bursts, then that it is done; ends with last words. */
const TALKER = `
const count = Number(process.env.LINES)
let n = 0
const burst = () => {
  for (const end = Math.min(count, n + ${BURST_LINES}); n < end; n += 1) console.log('line ' + n + ' of a talkative app')
  if (n < count) setTimeout(burst, ${BURST_MS})
}
require('node:http').createServer((_, response) => response.end(String(n))).listen(Number(process.env.PORT), burst)
process.on('SIGTERM', () => { console.error('last words'); process.exit(0) })`

interface LogAnswer {
  logs: { message: string; stream: string; containerName: string }[]
  nextCursor?: string
}

export interface KeptLogs {
  said: number
  kept: number
  lost: number
  doubled: number
  hasLastWords: boolean
  kills: number
  /** The slowest of some searches for one line, by REST. */
  searchMs: number
  found: number
}

/** Two workers, of which the other soon takes over. */
export const LOG_CLUSTER = { processes: { worker: 2 }, settings: { BERTH_LEASE_SECONDS: '3' } }

/** A container says so many lines while the worker that collects them is killed again and again; then it is removed. */
export async function keepLogs(cluster: TestCluster, lines: number, kills: number): Promise<KeptLogs> {
  const { appEnvId, host } = await createTalker(cluster, lines)
  await finish(cluster, 'deploy-image', { appEnvId }, { image: cluster.image })
  const killed = await killWhileTalking(cluster, appEnvId, host, { lines, kills })
  await finish(cluster, 'stop', { appEnvId })
  const messages = await readAll(cluster, appEnvId)
  const numbers = messages.flatMap((message) => /^line (\d+) of/.exec(message)?.[1] ?? [])
  const known = new Set(numbers)
  const searches = []
  for (let n = 0; n < SEARCHES; n += 1) searches.push(await search(cluster, appEnvId, `LINE ${n * 7} OF`))
  return {
    said: lines,
    kept: messages.length,
    lost: lines - known.size,
    doubled: numbers.length - known.size,
    hasLastWords: messages[0] === 'last words',
    kills: killed,
    searchMs: Math.max(...searches.map(({ ms }) => ms)),
    found: searches.filter(({ found }) => found === 1).length,
  }
}

async function createTalker(cluster: TestCluster, lines: number): Promise<{ appEnvId: string; host: string }> {
  const { accounts } = (await cluster.ok('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts.at(-1)?.accountId
  const { appId } = await cluster.ok('POST', '/app', {
    name: 'talker',
    accountId,
    port: 3000,
    useImage: true,
    image: cluster.image,
  })
  const startupConfig = { command: 'node', args: ['-e', TALKER], shell: false }
  const envVars = [{ name: 'LINES', value: String(lines) }]
  const appEnv = { accountId, appId, name: 'production', region: 'local', startupConfig, envVars }
  const { appEnvId } = (await cluster.ok('POST', '/app-env', appEnv)) as { appEnvId: string }
  const { hosts } = (await cluster.ok('GET', `/app-env?appEnvId=${appEnvId}`)) as { hosts: string[] }
  return { appEnvId, host: hosts[0] ?? '' }
}

/** Kills whichever worker holds the log stream, evenly over the time in which the container talks. */
async function killWhileTalking(
  cluster: TestCluster,
  appEnvId: string,
  host: string,
  { lines, kills }: { lines: number; kills: number },
): Promise<number> {
  let killed = 0
  const until = Date.now() + DONE_WITHIN_SECONDS * 1000
  for (;;) {
    const said = Number(await saidBy(cluster, host))
    if (said >= lines && killed >= kills) return killed
    if (Date.now() > until) throw new Error(`Only ${said} of ${lines} lines were said in time`)
    if (killed < kills && said >= (lines / (kills + 1)) * (killed + 1)) killed += await killCollector(cluster, appEnvId)
    await pause(50)
  }
}

/** Kills the worker that writes a log of the environment; how many that were. */
export async function killCollector(cluster: TestCluster, appEnvId: string): Promise<number> {
  const { rows } = await cluster.pool.query<{ leaseOwner: string }>(
    `SELECT lease_owner AS "leaseOwner" FROM log_stream WHERE app_env_id = $1 AND lease_expires_at > now() AND last_number > 0`,
    [appEnvId],
  )
  const owner = rows[0]?.leaseOwner
  // A process is known by its socket in its own data directory.
  const worker = cluster
    .of('worker')
    .find(({ name }) => owner && existsSync(join(cluster.folder, name, 'processes', owner)))
  if (!worker) return 0
  worker.signal('SIGKILL')
  return 1
}

const saidBy = (cluster: TestCluster, host: string): Promise<string> =>
  ask(`http://127.0.0.1:${cluster.ports.ingress[0]}`, host).then(
    ({ body }) => body,
    () => '0',
  )

async function readAll(cluster: TestCluster, appEnvId: string): Promise<string[]> {
  const messages: string[] = []
  let cursor: string | undefined
  do {
    const position = cursor ? `&cursor=${cursor}` : ''
    const page = (await cluster.ok('GET', `/logs?appEnvId=${appEnvId}&size=${PAGE}${position}`)) as unknown as LogAnswer
    messages.push(...page.logs.map(({ message }) => message))
    cursor = page.nextCursor
  } while (cursor)
  return messages
}

async function search(cluster: TestCluster, appEnvId: string, text: string): Promise<{ ms: number; found: number }> {
  const startedAt = performance.now()
  const query = `appEnvId=${appEnvId}&search=${encodeURIComponent(text)}`
  const { logs } = (await cluster.ok('GET', `/logs?${query}`)) as unknown as LogAnswer
  return { ms: performance.now() - startedAt, found: logs.length }
}
