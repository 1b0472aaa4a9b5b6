import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { ended } from '../crash/harness/subject.ts'
import { startTestCluster, type TestCluster } from '../crash/harness/test-cluster.ts'
import { ensureBuildImages } from '../support/build-images.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'
import { overSse } from '../support/transports.ts'
import { eventually } from '../worker/fixtures.ts'
import { killCollector } from './kept-logs.ts'

const TICKS = 60
const TALKER = `let n = 0; const t = setInterval(() => { console.log('tick ' + n); n += 1; if (n === ${TICKS}) clearInterval(t) }, 50)`
const SERVER = `require('node:http').createServer((q, r) => r.end('ok')).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))`

let cluster: TestCluster
let git: GitServer

beforeAll(async () => {
  const settings = { BERTH_LEASE_SECONDS: '3', BERTH_GIT_PRIVATE_HOSTS: 'true' }
  cluster = await startTestCluster({ processes: { worker: 2 }, settings, postgresTemplate: inject('postgresTemplate') })
  git = await startGitServer()
})

afterAll(async () => {
  await cluster?.close()
  await git?.close()
})

async function createTalker(): Promise<string> {
  const { node } = await ensureBuildImages(cluster.docker)
  const Dockerfile = `FROM ${node}\nRUN node -e "${TALKER}"\nCOPY server.js /\nUSER node\nCMD ["node", "/server.js"]\n`
  git.commit('talker', { Dockerfile, 'server.js': SERVER })
  const { accounts } = (await cluster.ok('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts[0]?.accountId
  const app = { name: 'talker', accountId, port: 3000, gitRepo: git.repository('talker') }
  const { appId } = await cluster.ok('POST', '/app', app)
  const appEnv = { accountId, appId, name: 'production', region: 'local', branch: 'main' }
  return ((await cluster.ok('POST', '/app-env', appEnv)) as { appEnvId: string }).appEnvId
}

async function logOf(appEnvId: string): Promise<string[]> {
  const { logs } = await cluster.ok('GET', `/logs?type=BUILD&size=1000&appEnvId=${appEnvId}`)
  return (logs as { message: string }[]).map(({ message }) => message).reverse()
}

async function follow(appEnvId: string): Promise<string[]> {
  const query = `subscription { buildLogs(appEnvId: "${appEnvId}") { hasEnded lines { message } } }`
  const received: string[] = []
  const url = `http://127.0.0.1:${cluster.ports.api[0]}/graphql`
  for await (const { data } of overSse({ url, token: cluster.token, query }))
    received.push(...data.buildLogs.lines.map(({ message }: { message: string }) => message))
  return received
}

test('the log of a build whose worker is killed goes on with the next attempt', { timeout: 240_000 }, async () => {
  const appEnvId = await createTalker()
  const operationId = await cluster.begin('POST', '/app-env/build', { appEnvId })
  const following = follow(appEnvId)
  const acknowledged = await eventually(
    () => logOf(appEnvId),
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
  expect(await logOf(appEnvId)).toEqual(received)
})
