import { expect } from 'vitest'
import { ended } from '../crash/harness/subject.ts'
import type { TestCluster } from '../crash/harness/test-cluster.ts'
import { ensureBuildImages } from '../support/build-images.ts'
import type { GitServer } from '../support/git-server.ts'
import { overSse } from '../support/transports.ts'
import { eventually } from '../worker/fixtures.ts'
import { killCollector } from './kept-logs.ts'

const TICKS = 60
const TALKER = `let n = 0; const t = setInterval(() => { console.log('tick ' + n); n += 1; if (n === ${TICKS}) clearInterval(t) }, 50)`
const SERVER = `require('node:http').createServer((q, r) => r.end('ok')).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))`

/** The worker at a build is killed: another goes on with it, and readers of its log miss nothing. */
export async function killBuild(cluster: TestCluster, git: GitServer): Promise<void> {
  const appEnvId = await createTalker(cluster, git)
  const operationId = await cluster.begin('POST', '/app-env/build', { appEnvId })
  const following = follow(cluster, appEnvId)
  const acknowledged = await eventually(
    () => logOf(cluster, appEnvId),
    (lines) => lines.includes('tick 10'),
    60,
  )
  expect(await killCollector(cluster, appEnvId)).toBe(1)
  expect(await ended(cluster, operationId, 120)).toMatchObject({ status: 'SUCCEEDED' })
  const received = await following
  expect(received.slice(0, acknowledged.length)).toEqual(acknowledged)
  expect(received.filter((line) => line.startsWith('Building commit'))).toHaveLength(1)
  const isTakeover = (line: string) => /^Attempt \d of \d takes over/.test(line)
  expect(received.filter(isTakeover)).toHaveLength(1)
  const last = received.slice(received.findIndex(isTakeover))
  expect(last.filter((line) => /^tick \d+$/.test(line))).toEqual(Array.from({ length: TICKS }, (_, n) => `tick ${n}`))
  expect(received.at(-1)).toBe('The image is built')
  expect(await logOf(cluster, appEnvId)).toEqual(received)
}

async function createTalker(cluster: TestCluster, git: GitServer): Promise<string> {
  const { node } = await ensureBuildImages(cluster.docker)
  const Dockerfile = `FROM ${node}\nRUN node -e "${TALKER}"\nCOPY server.js /\nUSER node\nCMD ["node", "/server.js"]\n`
  git.commit('talker', { Dockerfile, 'server.js': SERVER })
  const { accounts } = (await cluster.ok('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts.at(-1)?.accountId
  const app = { name: 'talker', accountId, port: 3000, gitRepo: git.repository('talker') }
  const { appId } = await cluster.ok('POST', '/app', app)
  const appEnv = { accountId, appId, name: 'production', region: 'local', branch: 'main' }
  return ((await cluster.ok('POST', '/app-env', appEnv)) as { appEnvId: string }).appEnvId
}

async function logOf(cluster: TestCluster, appEnvId: string): Promise<string[]> {
  const { logs } = await cluster.ok('GET', `/logs?type=BUILD&size=1000&appEnvId=${appEnvId}`)
  return (logs as { message: string }[]).map(({ message }) => message).reverse()
}

async function follow(cluster: TestCluster, appEnvId: string): Promise<string[]> {
  const query = `subscription { buildLogs(appEnvId: "${appEnvId}") { hasEnded lines { message } } }`
  const received: string[] = []
  const url = `http://127.0.0.1:${cluster.ports.api[0]}/graphql`
  for await (const { data } of overSse({ url, token: cluster.token, query }))
    received.push(...data.buildLogs.lines.map(({ message }: { message: string }) => message))
  return received
}
