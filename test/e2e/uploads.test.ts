import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuildImages } from '../support/build-images.ts'
import { sourceOf } from '../support/source-archive.ts'
import { type BuildSite, startBuildSite } from './build-site.ts'
import { ask } from './clients.ts'
import type { TestPlatform } from './platform.ts'

let berth: TestPlatform
let images: BuildImages
let site: BuildSite

beforeAll(async () => {
  ;({ berth, images, site } = await startBuildSite())
})

afterAll(() => berth?.stop())

const SERVER = `require('node:http').createServer((q, r) => r.end('hello from ' + process.env.GREETING)).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))`

test('code that is uploaded is built by its own Dockerfile, deployed, and answers', async () => {
  const dockerfile = `FROM ${images.node}\nARG WHO\nENV GREETING=$WHO\nCOPY server.js /app/\nUSER node\nCMD ["node", "/app/server.js"]\n`
  const app = await site.uploadedApp({ buildArgs: 'WHO="the build"' })
  const operation = await site.upload(app, await sourceOf({ Dockerfile: dockerfile, 'server.js': SERVER }))
  expect(operation).toMatchObject({ status: 'SUCCEEDED', reason: null })
  expect(operation.steps.map((step) => step.name)).toEqual(['source', 'build', 'pull', 'create', 'ready', 'route'])
  await expect
    .poll(() => ask(berth.platform.ingressUrl ?? '', app.host))
    .toEqual({ status: 200, body: 'hello from the build' })
  const status = await berth.ok<{ currentDeployment: object }>('GET', `/app-env/status?appEnvId=${app.appEnvId}`)
  expect(status.currentDeployment).toMatchObject({ type: 'BUILD', status: 'DEPLOYED', version: 1 })
  const metered = await berth.database.usageInterval.findMany({ where: { appEnvId: app.appEnvId, kind: 'BUILD' } })
  expect(metered).toMatchObject([{ amount: 1n, hasEnded: true }])
  const ran = await berth.database.operation.findUniqueOrThrow({ where: { id: operation.operationId } })
  const times = [ran.startedAt, metered[0]?.startedAt, metered[0]?.until, ran.finishedAt].map(Number)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect(times[2]).toBeGreaterThan(times[1] ?? 0)
})

test('a volume belongs to the user whom the image runs as', async () => {
  const note = `require('node:fs').writeFileSync('/data/notes/note', 'mine')`
  const dockerfile = `FROM ${images.node}\nENV GREETING=volume\nCOPY server.js /app/\nUSER node\nCMD ["node", "/app/server.js"]\n`
  const app = await site.uploadedApp({}, { volume: { path: '/data/notes', disk: 10 } })
  const archive = await sourceOf({ Dockerfile: dockerfile, 'server.js': `${note}\n${SERVER}` })
  expect(await site.upload(app, archive)).toMatchObject({ status: 'SUCCEEDED', reason: null })
  await expect
    .poll(() => ask(berth.platform.ingressUrl ?? '', app.host))
    .toEqual({ status: 200, body: 'hello from volume' })
})
