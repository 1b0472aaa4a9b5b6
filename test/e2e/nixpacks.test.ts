import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BuildImages } from '../support/build-images.ts'
import { sourceOf } from '../support/source-archive.ts'
import { type BuildSite, startBuildSite } from './build-site.ts'
import { ask } from './clients.ts'
import type { TestPlatform } from './platform.ts'

const SECRET = 'hunter2-hunter2'
let berth: TestPlatform
let images: BuildImages
let site: BuildSite

beforeAll(async () => {
  ;({ berth, images, site } = await startBuildSite({
    BERTH_NIXPACKS: fileURLToPath(import.meta.resolve('../support/nixpacks.mjs')),
  }))
})

afterAll(() => berth?.stop())

const SERVER = `const built = require('node:fs').readFileSync('/app/built', 'utf8').trim()
const known = [process.env.NODE_ENV, process.env.TOKEN ?? 'no token'].join(', ')
require('node:http').createServer((q, r) => r.end(built + ', ' + known)).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))`

const source = (settings: object = {}) =>
  sourceOf({
    'package.json': JSON.stringify({
      scripts: { build: '[ -n "$TOKEN" ] && echo built with a token > built', start: 'exec node server.js' },
    }),
    'nixpacks.json': JSON.stringify({ buildImage: images.node, ...settings }),
    'server.js': SERVER,
  })

const envVars = [{ name: 'TOKEN', value: SECRET, type: 'BUILD', isSecret: true }]

test.concurrent('what nixpacks plans is built, deployed, and answers, without the values of BUILD variables', async ({
  expect,
}) => {
  const app = await site.uploadedApp({ builder: 'NIXPACKS' }, { envVars })
  const operation = await site.upload(app, await source())
  expect(operation).toMatchObject({ status: 'SUCCEEDED', message: null })
  const answer = { status: 200, body: 'built with a token, production, no token' }
  await expect.poll(() => ask(berth.platform.ingressUrl ?? '', app.host)).toEqual(answer)

  const [built] = await berth.docker.listImages({ filters: { label: [`berth.content=${operation.contentId}`] } })
  const image = berth.docker.getImage(built?.Id ?? '')
  expect(JSON.stringify([await image.inspect(), await image.history()])).not.toContain(SECRET)
  const log = (await site.logOf(operation)).join('\n')
  expect(log).toContain('The Dockerfile is what nixpacks wrote')
  expect(log).not.toContain(SECRET)
})

test.concurrent('a source whose settings lead out of it is refused', async () => {
  const app = await site.uploadedApp({ builder: 'NIXPACKS' })
  const operation = await site.upload(app, await source({ staticAssets: { '../../escaped': 'x' } }))
  expect(operation).toMatchObject({ status: 'FAILED', reason: 'SOURCE_REFUSED' })
})

test.concurrent('a secret that a Dockerfile of one’s own puts into the image is warned of', async () => {
  const start = `COPY server.js /app/\nRUN echo plain > /app/built\nUSER node\nCMD ["node", "/app/server.js"]\n`
  const exposing = `FROM ${images.node}\nARG TOKEN\n${start}`
  const careful = `FROM ${images.node} AS build\nARG TOKEN\nRUN echo "$TOKEN" > /dev/null\nFROM ${images.node}\n${start}`
  for (const [dockerfile, expected] of [
    [exposing, [expect.stringMatching(/^Warning: .* TOKEN by ARG/)]],
    [careful, []],
  ] as const) {
    const app = await site.uploadedApp({}, { envVars })
    const operation = await site.upload(app, await sourceOf({ Dockerfile: dockerfile, 'server.js': SERVER }))
    expect(operation).toMatchObject({ status: 'SUCCEEDED' })
    const log = await site.logOf(operation)
    expect(log.filter((line) => line.startsWith('Warning'))).toEqual(expected)
    expect(log.join('\n')).not.toContain(SECRET)
  }
})
