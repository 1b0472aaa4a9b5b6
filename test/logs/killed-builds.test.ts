import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Laboratory, openLaboratory } from '../crash/harness/laboratory.ts'
import { ended } from '../crash/harness/subject.ts'
import { ensureBuildImages } from '../support/build-images.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'
import { overSse } from '../support/transports.ts'
import { eventually } from '../worker/fixtures.ts'
import { killCollector } from './kept-logs.ts'

const TICKS = 60
const TALKER = `let n = 0; const t = setInterval(() => { console.log('tick ' + n); n += 1; if (n === ${TICKS}) clearInterval(t) }, 50)`
const SERVER = `require('node:http').createServer((q, r) => r.end('ok')).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))`

let lab: Laboratory
let git: GitServer

beforeAll(async () => {
  const settings = { BERTH_LEASE_SECONDS: '3', BERTH_GIT_PRIVATE_HOSTS: 'true' }
  lab = await openLaboratory({ processes: { worker: 2 }, settings })
  git = await startGitServer()
})

afterAll(async () => {
  await lab?.close()
  await git?.close()
})

async function createTalker(): Promise<string> {
  const { node } = await ensureBuildImages(lab.docker)
  const Dockerfile = `FROM ${node}\nRUN node -e "${TALKER}"\nCOPY server.js /\nUSER node\nCMD ["node", "/server.js"]\n`
  git.commit('talker', { Dockerfile, 'server.js': SERVER })
  const { accounts } = (await lab.ok('GET', '/accounts')) as { accounts: { accountId: string }[] }
  const accountId = accounts[0]?.accountId
  const app = { name: 'talker', accountId, port: 3000, gitRepo: git.repository('talker') }
  const { appId } = await lab.ok('POST', '/app', app)
  const appEnv = { accountId, appId, name: 'production', region: 'local', branch: 'main' }
  return ((await lab.ok('POST', '/app-env', appEnv)) as { appEnvId: string }).appEnvId
}

async function logOf(appEnvId: string): Promise<string[]> {
  const { logs } = await lab.ok('GET', `/logs?type=BUILD&size=1000&appEnvId=${appEnvId}`)
  return (logs as { message: string }[]).map(({ message }) => message).reverse()
}

async function follow(appEnvId: string): Promise<string[]> {
  const query = `subscription { buildLogs(appEnvId: "${appEnvId}") { hasEnded lines { message } } }`
  const told: string[] = []
  const url = `http://127.0.0.1:${lab.ports.api[0]}/graphql`
  for await (const { data } of overSse({ url, token: lab.token, query }))
    told.push(...data.buildLogs.lines.map(({ message }: { message: string }) => message))
  return told
}

test('the log of a build whose worker is killed goes on with the next attempt', { timeout: 240_000 }, async () => {
  const appEnvId = await createTalker()
  const operationId = await lab.begin('POST', '/app-env/build', { appEnvId })
  const following = follow(appEnvId)
  const acknowledged = await eventually(
    () => logOf(appEnvId),
    (lines) => lines.includes('tick 10'),
    60,
  )
  expect(await killCollector(lab, appEnvId)).toBe(1)
  expect(await ended(lab, operationId, 120)).toMatchObject({ status: 'SUCCEEDED' })
  const told = await following
  expect(told.slice(0, acknowledged.length)).toEqual(acknowledged)
  expect(told.filter((line) => line.startsWith('Building commit'))).toHaveLength(2)
  const last = told.slice(told.findLastIndex((line) => line.startsWith('Building commit')))
  expect(last.filter((line) => /^tick \d+$/.test(line))).toEqual(Array.from({ length: TICKS }, (_, n) => `tick ${n}`))
  expect(last.at(-1)).toBe('The image is built')
  expect(await logOf(appEnvId)).toEqual(told)
})
