import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegistryCredential } from '../../src/images/image-builder.ts'
import { resolveFor } from '../../src/worker/images/image-gate.ts'
import type { RegistryLogins } from '../../src/worker/images/registry-logins.ts'
import type { TestRegistry } from '../contracts/engine-harness.ts'
import { createMemoryHarness } from '../support/memory-engine/memory-harness.ts'
import { createWorld, type World } from '../support/world.ts'

const harness = createMemoryHarness()
const { imageBuilder } = harness.open({ installationId: 'ins_gate' })
let world: World
let registry: TestRegistry
let others: string
let logins: RegistryLogins
/** What the engine was given for each image. */
const given: [image: string, credential: RegistryCredential | null][] = []

beforeAll(async () => {
  world = await createWorld({ settings: { BERTH_PRIVATE_REGISTRIES: 'registry.test:5000' } })
  others = await world.account('others')
  const started = await harness.startRegistry()
  if (!started) throw new Error('The memory engine has a registry')
  registry = started
  logins = { [registry.address]: registry.credential }
  await registry.publish('team/app', '1')
})

afterAll(() => world?.close())

function resolve(accountId: string, image: string, login: RegistryLogins = {}, settings: Record<string, unknown> = {}) {
  const { database, config } = world
  const engine = {
    key: '',
    resolveImage: (...[name, credential, options]: Parameters<typeof imageBuilder.resolveImage>) => {
      given.push([name, credential])
      return imageBuilder.resolveImage(name, credential, options)
    },
  }
  const signal = AbortSignal.timeout(60_000)
  return resolveFor({ database, config: { ...config, ...settings }, engine, accountId, signal }, image, login)
}

test('a login goes to the registry that it was made for, and to no other', async () => {
  const image = `${registry.address}/team/app:1`
  await resolve(world.accountId, image, logins)
  const refused = resolve(world.accountId, image, { 'ghcr.io': registry.credential })
  await expect(refused).rejects.toThrow(/without|denied.*; the app's credential is for ghcr\.io/)
  await expect(resolve(world.accountId, 'nosuch.invalid/app', logins)).rejects.toMatchObject({
    reason: 'REGISTRY_UNREACHABLE',
  })
  expect(given).toEqual([
    [image, registry.credential],
    [image, null],
    ['nosuch.invalid/app', null],
  ])
})

test('a registry on a private address is refused, and the engine never hears of it', async () => {
  const before = given.length
  for (const image of ['127.0.0.1:5000/app', 'localhost:5000/app', '169.254.169.254/latest/meta-data', '10.0.0.1/x']) {
    await expect(resolve(world.accountId, image)).rejects.toMatchObject({ reason: 'REGISTRY_REFUSED', isFinal: true })
  }
  expect(given.length).toBe(before)
})

test('what was put onto the engine by hand serves everybody, unless a setting says otherwise', async () => {
  const image = await harness.ensureImage()
  expect(await resolve(others, image)).toMatchObject({ fromCache: true })
  const strict = resolve(others, image, {}, { BERTH_SHARE_LOCAL_IMAGES: false })
  await expect(strict).rejects.toMatchObject({ reason: 'REGISTRY_UNREACHABLE' })
})

test('once the registry is away, a copy serves the account that pulled it, and no other', async () => {
  const image = `${registry.address}/team/app:1`
  const { imageId } = await resolve(world.accountId, image, logins)
  await registry.stop()
  expect(await resolve(world.accountId, image, logins)).toMatchObject({ pinned: imageId, fromCache: true })
  for (const login of [logins, {}]) {
    const theirs = resolve(others, image, login)
    await expect(theirs).rejects.toMatchObject({ reason: 'REGISTRY_UNREACHABLE', isFinal: false })
  }
})
