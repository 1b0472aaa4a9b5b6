import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LocalCopy, RegistryCredential } from '../../src/engines/images/image-builder.ts'
import { recordPull, resolveFor } from '../../src/worker/images/image-gate.ts'
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

test('where registries are listed, images of others are refused, and the engine never hears of them', async () => {
  const before = given.length
  const settings = { BERTH_REGISTRIES: ['ghcr.io', registry.address] }
  await expect(resolve(world.accountId, 'nginx:1', {}, settings)).rejects.toMatchObject({
    reason: 'REGISTRY_REFUSED',
    message: expect.stringContaining(`docker.io is none of the registries of this installation, which are ghcr.io`),
  })
  expect(given).toHaveLength(before)
  const image = `${registry.address}/team/app:1`
  expect(await resolve(world.accountId, image, logins, settings)).toMatchObject({ pinned: expect.any(String) })
  const pushed = { BERTH_REGISTRIES: ['ghcr.io'], BERTH_PUSH_REPOSITORY: `${registry.address}/builds` }
  expect(await resolve(world.accountId, image, logins, pushed)).toMatchObject({ pinned: expect.any(String) })
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

/** Whether the account may use a copy that the engine offers under the name. */
async function serves(accountId: string, image: string, copy: Partial<LocalCopy>, settings = {}): Promise<boolean> {
  const { database, config } = world
  const offered: LocalCopy = { imageId: IMAGE_ID, origin: 'unknown', isAfterSilence: true, ...copy }
  let answer = false
  const engine = {
    key: '',
    resolveImage: async (...[, , options]: Parameters<typeof imageBuilder.resolveImage>) => {
      answer = (await options?.mayUseCopy?.(offered)) ?? false
      return { pinned: IMAGE_ID, imageId: IMAGE_ID, isNew: false, fromCache: true, triggers: [] }
    },
  }
  const signal = AbortSignal.timeout(60_000)
  await resolveFor({ database, config: { ...config, ...settings }, engine, accountId, signal }, image, {})
  return answer
}

const IMAGE_ID = `sha256:${'5'.repeat(64)}`

test.each([
  // A store of the engine's own knows by the digest that a copy came from a registry.
  ['operator', 'shop:1', { isAfterSilence: true, isAfterAnswer: true }],
  ['operator', 'corp/shop:1', { isAfterSilence: true, isAfterAnswer: true }],
  ['registry', 'corp/shop:1', { isAfterSilence: false, isAfterAnswer: false }],
  // In containerd's store a copy that was pulled by hand looks like one that was built there.
  ['unknown', 'shop:1', { isAfterSilence: true, isAfterAnswer: true }],
  ['unknown', 'corp/shop:1', { isAfterSilence: true, isAfterAnswer: false }],
  ['unknown', 'registry.test:5000/shop:1', { isAfterSilence: true, isAfterAnswer: false }],
] as const)('a copy that Berth has not pulled, of origin %s, under %s', async (origin, image, expected) => {
  for (const [when, isAfterSilence] of [
    ['isAfterSilence', true],
    ['isAfterAnswer', false],
  ] as const) {
    expect(await serves(others, image, { origin, isAfterSilence })).toBe(expected[when])
    expect(await serves(others, image, { origin, isAfterSilence }, { BERTH_SHARE_LOCAL_IMAGES: false })).toBe(false)
  }
})

test('a copy that a registry has given serves whom it was given to, under whatever name, and only after silence', async () => {
  const imageId = `sha256:${'6'.repeat(64)}`
  await recordPull(world.database, world.accountId, '', { imageId, isNew: true })
  for (const origin of ['unknown', 'operator', 'registry'] as const) {
    for (const image of ['shop:1', 'corp/shop:1']) {
      expect(await serves(world.accountId, image, { imageId, origin })).toBe(true)
      expect(await serves(world.accountId, image, { imageId, origin, isAfterSilence: false })).toBe(false)
      for (const isAfterSilence of [true, false]) {
        expect(await serves(others, image, { imageId, origin, isAfterSilence })).toBe(false)
      }
    }
  }
})

test('what an account has pulled serves nobody else after the account is deleted', async () => {
  const [gone, imageId] = [await world.account('gone'), `sha256:${'7'.repeat(64)}`]
  await recordPull(world.database, gone, '', { imageId, isNew: true })
  await world.database.account.delete({ where: { id: gone } })
  expect(await serves(others, 'corp/shop:1', { imageId })).toBe(false)
})
