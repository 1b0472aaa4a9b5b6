import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { finished } from '../../scripts/base-image.ts'
import type { BuildImages } from '../support/build-images.ts'
import { builderImageProblem } from '../support/builder-image.ts'
import {
  type DockerRegistry,
  isRegistryInstalled,
  REGISTRY_CREDENTIAL,
  startRegistry,
} from '../support/docker-registry.ts'
import { sourceOf } from '../support/source-archive.ts'
import { type BuildSite, startBuildSite } from './build-site.ts'
import type { TestPlatform } from './platform.ts'

let berth: TestPlatform
let images: BuildImages
let site: BuildSite

beforeAll(async () => {
  ;({ berth, images, site } = await startBuildSite())
})

afterAll(() => berth?.stop())

const SERVER = `require('node:http').createServer((q, r) => r.end('built')).listen(process.env.PORT)
process.on('SIGTERM', () => process.exit(0))`
const LIST = `console.log('here: ' + require('fs').readdirSync('/ctx', { recursive: true }).sort().join(' '))`

/** Files that are their own content. */
const named = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, path]))

/** What a build finds in its context. */
async function contextOf(files: Record<string, string>): Promise<string[]> {
  const app = await site.uploadedApp({ dockerfilePath: 'Dockerfile' })
  const list = `RUN ["node", "-e", ${JSON.stringify(LIST)}]`
  const Dockerfile = [`FROM ${images.node}`, 'COPY . /ctx', list, 'CMD ["node", "/ctx/server.js"]'].join('\n')
  const operation = await site.upload(app, await sourceOf({ Dockerfile, 'server.js': SERVER, ...files }))
  expect(operation).toMatchObject({ status: 'SUCCEEDED' })
  const line = (await site.logOf(operation)).find((one) => one.startsWith('here: '))
  return line?.slice('here: '.length).split(' ') ?? []
}

describe('.dockerignore', () => {
  test.concurrent('keeps files out of a build: by pattern, at any depth, but for exceptions', async () => {
    const patterns = ['# words', '**/*.log', 'secrets', '!secrets/public.txt', 'a?c', '/top', 'docs/*.md', '!docs/a.md']
    const found = await contextOf({
      ...named('x.log', 'deep/er/y.log', 'deep/kept', 'secrets/key', 'secrets/public.txt', 'abc', 'abbc'),
      ...named('top', 'deep/top', 'docs/a.md', 'docs/b.md', '.git/config'),
      '.dockerignore': [...patterns, 'Dockerfile', '.dockerignore'].join('\n'),
    })
    const kept = ['abbc', 'deep', 'deep/er', 'deep/kept', 'deep/top', 'docs', 'docs/a.md', 'secrets']
    expect(found).toEqual([...kept, 'secrets/public.txt', 'server.js'])
  })

  test.concurrent('is itself a file like any other, as the Dockerfile is; what Berth sends along is none', async () => {
    expect(await contextOf({})).toEqual(['Dockerfile', 'server.js'])
    expect(await contextOf({ '.dockerignore': 'nothing' })).toEqual(['.dockerignore', 'Dockerfile', 'server.js'])
  })
})

const builderProblem = await builderImageProblem(new Docker())
if (builderProblem) console.warn(builderProblem)

describe.skipIf(builderProblem !== null)('the build cache', () => {
  test('is kept for the next build, read with its size, and gone once it is cleared', async () => {
    const app = await site.uploadedApp()
    const found = `RUN --mount=type=cache,id=kept,target=/cache if [ -e /cache/mark ]; then echo mark: kept; else echo mark: new; fi; : > /cache/mark`
    const built = async (change: string) => {
      const Dockerfile = [
        `FROM ${images.node}`,
        `ENV CHANGE=${change}`,
        found,
        'COPY . /',
        'CMD ["node", "/server.js"]',
      ]
      const operation = await site.upload(
        app,
        await sourceOf({ Dockerfile: Dockerfile.join('\n'), 'server.js': SERVER }),
      )
      expect(operation).toMatchObject({ status: 'SUCCEEDED' })
      return (await site.logOf(operation)).find((line) => line.startsWith('mark: '))
    }
    const read = () => berth.ok<Record<string, unknown>>('GET', `/app-env/build-cache?appEnvId=${app.appEnvId}`)
    expect(await built('first')).toBe('mark: new')
    expect(await built('second')).toBe('mark: kept')
    expect(await read()).toMatchObject({ sizeMb: expect.any(Number), clearedAt: null })
    await berth.ok('DELETE', '/app-env/build-cache', { appEnvId: app.appEnvId })
    expect(await built('third')).toBe('mark: new')
    expect(await read()).toMatchObject({ clearRequestedAt: null, clearedAt: expect.any(String) })
  })
})

const isInstalled = await isRegistryInstalled()
if (!isInstalled) {
  console.warn(
    'Skipped: private base images need the program docker-registry (Debian: apt-get install docker-registry)',
  )
}

describe.skipIf(!isInstalled)('a private base image', () => {
  let registry: DockerRegistry
  let base: string

  beforeAll(async () => {
    registry = await startRegistry()
    base = `${registry.address}/team/base:1`
    // Without package managers: the engine compresses all that it pushes.
    await berth.docker.getImage(berth.image).tag({ repo: `${registry.address}/team/base`, tag: '1' })
    const authconfig = { ...REGISTRY_CREDENTIAL, serveraddress: registry.address }
    await finished(berth.docker, await berth.docker.getImage(base).push({ authconfig }))
    await berth.docker.getImage(base).remove()
  })

  afterAll(async () => {
    const named = await berth.docker.listImages({ filters: { reference: [`${registry.address}/*/*`] } })
    const digests = named.flatMap(({ RepoDigests, RepoTags }) => [...(RepoDigests ?? []), ...(RepoTags ?? [])])
    const ours = digests.filter((name) => name.startsWith(registry.address))
    await Promise.allSettled(ours.map((name) => berth.docker.getImage(name).remove()))
    await registry[Symbol.asyncDispose]()
  })

  const source = () =>
    sourceOf({ Dockerfile: `FROM ${base}\nCOPY server.js /\nCMD ["node", "/server.js"]\n`, 'server.js': SERVER })

  async function credentialOf(accountId: string, data: Record<string, string>): Promise<string> {
    const body = { accountId, type: 'CONTAINER_REGISTRY', name: `login ${Math.random()}`, data }
    return (await berth.ok<{ credentialId: string }>('POST', '/credential', body)).credentialId
  }

  test.concurrent('is had with the app’s credential, and not without, even when the engine has it by then', async () => {
    const { accounts } = await berth.ok<{ accounts: { accountId: string }[] }>('GET', '/accounts')
    const login = { ...REGISTRY_CREDENTIAL, registry: registry.address }
    const buildPullAccountSecretId = await credentialOf(accounts.at(-1)?.accountId ?? '', login)
    const without = await site.uploadedApp()
    expect(await site.upload(without, await source())).toMatchObject({ status: 'FAILED', reason: 'IMAGE_UNAUTHORIZED' })
    const granted = await site.uploadedApp({ buildPullAccountSecretId })
    expect(await site.upload(granted, await source())).toMatchObject({ status: 'SUCCEEDED', message: null })
    const again = await site.upload(without, await source())
    expect(again).toMatchObject({ status: 'FAILED', reason: 'IMAGE_UNAUTHORIZED' })
    expect((await site.logOf(again)).at(-1)).toMatch(/IMAGE_UNAUTHORIZED.*team\/base/)
  })

  test.concurrent('is not had with a credential of another account, or for another registry', async () => {
    const { accountId } = await berth.ok<{ accountId: string }>('POST', '/account', { name: 'another' })
    const foreign = await credentialOf(accountId, { ...REGISTRY_CREDENTIAL, registry: registry.address })
    await expect(site.uploadedApp({ buildPullAccountSecretId: foreign })).rejects.toThrow(/names no credential/)
    const elsewhere = await credentialOf(accountId, { ...REGISTRY_CREDENTIAL, registry: 'registry.example.com' })
    const app = await site.uploadedApp({ accountId, buildPullAccountSecretId: elsewhere }, { accountId })
    expect(await site.upload(app, await source())).toMatchObject({ status: 'FAILED', reason: 'IMAGE_UNAUTHORIZED' })
  })
})
