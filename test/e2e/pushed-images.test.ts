import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type DockerRegistry,
  isRegistryInstalled,
  REGISTRY_CREDENTIAL,
  startRegistry,
} from '../support/docker-registry.ts'
import { sourceOf } from '../support/source-archive.ts'
import { type BuiltApp, createBuildSite } from './build-site.ts'
import { ask } from './clients.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'

const canPush = await isRegistryInstalled()
if (!canPush) console.log('Nothing is pushed here: docker-registry is not installed')

let registry: DockerRegistry
const started: TestPlatform[] = []

beforeAll(async () => {
  if (canPush) registry = await startRegistry()
})

afterAll(async () => {
  for (const berth of started) await berth.stop()
  await registry?.[Symbol.asyncDispose]()
})

async function start(password: string) {
  const berth = await startTestPlatform({
    BERTH_PUSH_REPOSITORY: `${registry.address}/berth`,
    BERTH_PUSH_USERNAME: REGISTRY_CREDENTIAL.username,
    BERTH_PUSH_PASSWORD: password,
    BERTH_OPERATION_ATTEMPTS: '2',
  })
  started.push(berth)
  return { berth, site: createBuildSite(berth) }
}

const SERVER = `require('node:http').createServer((q, r) => r.end('kept')).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))`
/** Of a base without package managers: the engine compresses all that it pushes. */
const source = ({ image }: TestPlatform) => {
  const lines = [`FROM ${image}`, 'COPY server.js /', 'USER node', 'CMD ["node", "/server.js"]']
  return sourceOf({ Dockerfile: lines.join('\n'), 'server.js': SERVER })
}

async function operate(berth: TestPlatform, { appEnvId }: BuiltApp, operation: 'stop' | 'start') {
  const response = await berth.rest('POST', `/app-env/${operation}`, { appEnvId }, { prefer: 'wait=60' })
  expect(response.status).toBe(200)
}

test.skipIf(!canPush)(
  'an image that the engine has lost comes back from where it was pushed to',
  async () => {
    const { berth, site } = await start(REGISTRY_CREDENTIAL.password)
    const app = await site.uploadedApp()
    const operation = await site.upload(app, await source(berth))
    const pushed = operation.steps.find(({ name }) => name === 'push')?.detail
    expect(pushed).toMatch(new RegExp(`^pushed as ${registry.address}/berth/[a-z0-9-]+@sha256:[0-9a-f]{64}$`))

    await operate(berth, app, 'stop')
    const ours = { label: [`berth.env=${app.appEnvId}`, 'berth.role=image'] }
    for (const { Id } of await berth.docker.listImages({ filters: ours })) {
      await berth.docker.getImage(Id).remove({ force: true })
    }
    await operate(berth, app, 'start')
    await expect.poll(() => ask(berth.platform.ingressUrl ?? '', app.host)).toEqual({ status: 200, body: 'kept' })
  },
  240_000,
)

test.skipIf(!canPush)(
  'a version that cannot be pushed fails, and says why',
  async () => {
    const { berth, site } = await start('wrong')
    const app = await site.uploadedApp()
    expect(await site.upload(app, await source(berth))).toMatchObject({ status: 'FAILED', reason: 'PUSH_DENIED' })
    await registry.stop()
    const later = await site.upload(app, await source(berth))
    expect(later).toMatchObject({ status: 'FAILED', reason: 'PUSH_FAILED' })
    expect(later.message).toMatch(/cannot be pushed: the registry .* cannot be reached: it refuses connections/)
  },
  240_000,
)
