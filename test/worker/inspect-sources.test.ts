import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inspectSource } from '../../src/services/source/inspect-source.ts'
import { inspectSources, sweepInspections } from '../../src/worker/builds/inspect-sources.ts'
import { readRest } from '../parity/read-apis.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'

let folder: string
let git: GitServer
let world: World
let served: Served

beforeAll(async () => {
  git = await startGitServer()
  folder = await mkdtemp(join(tmpdir(), 'berth-inspections-'))
  world = await createWorld({ settings: { BERTH_GIT_PRIVATE_HOSTS: 'true', BERTH_DATA_DIR: folder } })
  served = serveWorld(world)
})

afterAll(async () => {
  await served?.close()
  await world?.close()
  await git?.close()
  await rm(folder, { recursive: true, force: true })
})

const contextOf = () => ({ database: world.database, config: world.config, log: world.log })
const work = async () => {
  while (await inspectSources(contextOf(), AbortSignal.timeout(120_000)));
}
const foldersLeft = () => readdir(join(folder, 'inspections')).catch(() => [])

async function inspected(input: Record<string, unknown>, accountId = world.accountId) {
  const { inspectionId } = await world.perform(inspectSource, { accountId, ...input })
  await work()
  return (await readRest(served, world.adminToken, 'getSourceInspection', { inspectionId })).body
}

test('says which preset a source shows, and what it would start', async () => {
  const packageJson = JSON.stringify({
    name: 'shop',
    scripts: { build: 'next build', start: 'next start' },
    dependencies: { next: '15.0.0' },
  })
  const commit = git.commit('next', { 'package.json': packageJson, 'docker-compose.yml': 'services: {}' })
  const found = await inspected({ gitRepo: git.repository('next') })
  expect(found).toMatchObject({
    status: 'SUCCEEDED',
    url: git.repository('next'),
    commit,
    preset: 'NEXT_JS',
    sign: 'package.json with next',
    problem: null,
    dockerfilePath: null,
    composePath: 'docker-compose.yml',
    startCommand: expect.stringContaining('start'),
    reason: null,
    endedAt: expect.any(String),
  })
  expect(await foldersLeft()).toEqual([])
})

test('reads the Dockerfile of a folder of a branch', async () => {
  const dockerfile = [
    'FROM node:24 AS build',
    'EXPOSE 1',
    'CMD ["build"]',
    'FROM node:24-slim',
    'EXPOSE 8080/tcp 9090 $PORT 99999 53/udp',
    'ENTRYPOINT ["tini", "--"]',
    'CMD ["node", \\',
    '  "server.js"]',
  ].join('\n')
  git.commit('docker', { 'web/Dockerfile': dockerfile, 'web/go.mod': 'module shop' }, 'next')
  const found = await inspected({ gitRepo: git.repository('docker'), branch: 'next', contextDir: 'web' })
  expect(found).toMatchObject({
    status: 'SUCCEEDED',
    branch: 'next',
    dockerfilePath: 'Dockerfile',
    preset: 'GO',
    ports: [8080, 9090],
  })
  expect(found.startCommand).toMatch(/^\["tini", "--"\] \["node",\s+"server.js"\]$/)
})

test('says why no preset builds a source', async () => {
  git.commit('php', { 'composer.json': '{}' })
  const found = await inspected({ gitRepo: git.repository('php') })
  expect(found).toMatchObject({ status: 'SUCCEEDED', preset: null, problem: expect.stringContaining('PHP'), ports: [] })
})

test('says why a source cannot be read', async () => {
  const none = await inspected({ gitRepo: git.repository('none') })
  expect(none).toMatchObject({ status: 'FAILED', reason: 'SOURCE_NOT_FOUND', preset: null })
  git.commit('branch', { a: '1' })
  const branch = await inspected({ gitRepo: git.repository('branch'), branch: 'other' })
  expect(branch).toMatchObject({ status: 'FAILED', message: expect.stringContaining('it has main') })
  const folder = await inspected({ gitRepo: git.repository('branch'), contextDir: 'nowhere' })
  expect(folder).toMatchObject({ status: 'FAILED', reason: 'SOURCE_REFUSED' })
  expect(await foldersLeft()).toEqual([])
})

test('a link that leads out of the source shows nothing of the machine', async () => {
  git.commit('links', { 'package.json': { link: '/etc/passwd' }, Dockerfile: { link: '/etc/hostname' } })
  const found = await inspected({ gitRepo: git.repository('links') })
  expect(found.status).toBe('FAILED')
  expect(JSON.stringify(found)).not.toContain('root:')
})

test('poison in a package.json is bounded, and ends no worker', async () => {
  const wide = JSON.stringify({ scripts: { start: `node ${'x'.repeat(500_000)}` }, dependencies: { express: '1' } })
  git.commit('wide', { 'package.json': wide, 'index.js': '' })
  const found = await inspected({ gitRepo: git.repository('wide') })
  expect(JSON.stringify(found).length).toBeLessThan(10_000)
  git.commit('deep', { 'package.json': '['.repeat(500_000) })
  expect(['SUCCEEDED', 'FAILED']).toContain((await inspected({ gitRepo: git.repository('deep') })).status)
})

test('of each account one is read at a time, so that none holds up the others', async () => {
  const [one, other] = [await world.account(), await world.account()]
  const input = { gitRepo: git.repository('none') }
  for (const accountId of [one, one, one, other]) await world.perform(inspectSource, { accountId, ...input })
  await inspectSources(contextOf(), AbortSignal.timeout(60_000))
  const left = await world.database.sourceInspection.groupBy({
    by: ['accountId'],
    where: { status: 'QUEUED', accountId: { in: [one, other] } },
    _count: true,
  })
  expect(left).toEqual([{ accountId: one, _count: 2 }])
  await work()
})

test('what a killed worker has begun is read again, and left after three attempts', async () => {
  git.commit('again', { 'index.html': '<h1>Hello</h1>' })
  const input = { accountId: world.accountId, gitRepo: git.repository('again') }
  const begun = async (attempts: number) => {
    const { inspectionId: id } = await world.perform(inspectSource, input)
    const claimedUntil = new Date(Date.now() - 1_000)
    await world.database.sourceInspection.update({ where: { id }, data: { attempts, claimedUntil } })
    await work()
    return world.database.sourceInspection.findUniqueOrThrow({ where: { id } })
  }
  expect(await begun(1)).toMatchObject({ status: 'SUCCEEDED', preset: 'STATIC', attempts: 2 })
  expect(await begun(3)).toMatchObject({ status: 'FAILED', reason: 'SOURCE_REFUSED' })
})

test('answers are kept for an hour', async () => {
  await world.database.$executeRaw`UPDATE source_inspection SET created_at = now() - interval '61 minutes'`
  const { inspectionId } = await world.perform(inspectSource, {
    accountId: world.accountId,
    gitRepo: git.repository('none'),
  })
  await sweepInspections(contextOf())
  expect((await world.database.sourceInspection.findMany()).map(({ id }) => id)).toEqual([inspectionId])
})
