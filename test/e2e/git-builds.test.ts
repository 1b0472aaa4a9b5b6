import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BuildImages, baseImageArgs } from '../support/build-images.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'
import { repetitions } from '../support/repetitions.ts'
import { type BuildSite, type BuiltApp, startBuildSite } from './build-site.ts'
import { ask } from './clients.ts'
import type { TestPlatform } from './platform.ts'

let berth: TestPlatform
let images: BuildImages
let site: BuildSite
let git: GitServer
/** Built by its own Dockerfile. */
let plain: BuiltApp

beforeAll(async () => {
  ;({ berth, images, site } = await startBuildSite({ BERTH_GIT_PRIVATE_HOSTS: 'true' }))
  git = await startGitServer()
})

afterAll(async () => {
  await berth?.stop()
  await git?.close()
})

const server = (words: string) => `
const server = require('node:http').createServer((q, r) => r.end(${words}))
server.listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))
`
const manifest = (scripts: Record<string, string>) => JSON.stringify({ name: 'shop', version: '1.0.0', scripts })
const lock = JSON.stringify({
  name: 'shop',
  version: '1.0.0',
  lockfileVersion: 3,
  packages: { '': { name: 'shop', version: '1.0.0' } },
})
const visit = async (host: string, path = '/') =>
  (await ask(berth.platform.ingressUrl ?? '', host, undefined, path)).body
const baseImages = () => JSON.stringify(baseImageArgs(images))

const envVars = [{ name: 'API_URL', value: 'https://api.example.com', type: 'BUILD' }]

const sources = {
  EXPRESS: {
    'package.json': manifest({ start: 'node server.js' }),
    'package-lock.json': lock,
    'server.js': server(`'express, by user ' + process.getuid()`),
  },
  VITE: {
    'package.json': manifest({
      build: `node -e "const f=require('fs');f.mkdirSync('dist');f.writeFileSync('dist/index.html',f.readFileSync('index.html','utf8').replace('%API_URL%',process.env.API_URL))"`,
    }),
    'package-lock.json': lock,
    'index.html': '<h1>vite with %API_URL%</h1>',
  },
} as const

type Expected = [preset: keyof typeof sources, path: string, answer: string]
const VITE: Expected = ['VITE', '/some/route', '<h1>vite with https://api.example.com</h1>']
const PRESETS: Expected[] = repetitions([VITE], [VITE, ['EXPRESS', '/', 'express, by user 1000']])

describe('a git repository', () => {
  test.each<Expected>([...PRESETS])(
    'is built by the preset %s, deployed, and answers',
    async (dockerPreset, path, expected) => {
      const name = dockerPreset.toLowerCase()
      const commit = git.commit(name, sources[dockerPreset])
      const fields = { dockerPreset, gitRepo: git.repository(name), buildArgs: baseImages() }
      const app = await site.gitApp(fields, { envVars })
      const operation = await site.build(app)
      expect(operation).toMatchObject({ status: 'SUCCEEDED', message: null })
      await expect.poll(() => visit(app.host, path)).toBe(expected)
      const { currentDeployment } = await berth.ok<{ currentDeployment: object }>(
        'GET',
        `/app-env/status?appEnvId=${app.appEnvId}`,
      )
      expect(currentDeployment).toMatchObject({ type: 'BUILD', gitBranch: 'main', gitCommitId: commit })
      const log = await site.logOf(operation)
      expect(log[0]).toMatch(new RegExp(`^Building commit ${commit.slice(0, 12)}`))
      expect(log.some((line) => /^docker.io.library.berth-stand-in-node\S* is /.test(line))).toBe(true)
      expect(log.at(-1)).toBe('The image is built')
    },
    240_000,
  )

  test('with a Dockerfile of its own is built by it, and a new commit replaces the version', async () => {
    const files = (words: string) => ({
      'deploy/Dockerfile': `FROM ${images.node}\nCOPY server.js /\nUSER node\nCMD ["node", "/server.js"]\n`,
      'server.js': server(`'${words}'`),
    })
    git.commit('plain', files('first'))
    plain = await site.gitApp({ gitRepo: git.repository('plain'), dockerfilePath: 'deploy/Dockerfile' })
    const app = plain
    const first = await site.build(app)
    await expect.poll(() => visit(app.host)).toBe('first')

    const unchanged = await site.build(app)
    expect(unchanged.steps.find(({ name }) => name === 'build')?.detail).toMatch(/nothing has changed since version 1/)
    const forced = await site.build(app, { forceNewBuild: true })
    expect(forced.steps.find(({ name }) => name === 'build')?.detail).toMatch(/^built sha256:/)

    git.commit('plain', files('second'))
    expect(await site.build(app)).toMatchObject({ status: 'SUCCEEDED' })
    await expect.poll(() => visit(app.host)).toBe('second')

    const again = await site.build(app, { isRebuild: true, fromContentId: first.contentId })
    expect(again).toMatchObject({ status: 'SUCCEEDED' })
    await expect.poll(() => visit(app.host)).toBe('first')

    await berth.ok('POST', '/app-env/rollback', { appEnvId: app.appEnvId })
    expect(await site.ended(app)).toMatchObject({ kind: 'ROLLBACK', status: 'SUCCEEDED' })
    await expect.poll(() => visit(app.host)).toBe('second')
  })
})

test('images go with their environment', async () => {
  const ours = () => berth.docker.listImages({ filters: { label: [`berth.env=${plain.appEnvId}`] } })
  expect(await ours()).not.toEqual([])
  const response = await berth.rest('DELETE', `/app-env?appEnvId=${plain.appEnvId}`, undefined, { prefer: 'wait=60' })
  expect(response.status).toBe(200)
  expect(await ours()).toEqual([])
})
