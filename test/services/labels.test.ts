import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../../src/services/app/create-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.close())

const many = (count: number, value: string | null = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, value]))

const ofApp = {
  noun: 'appLabel',
  command: updateApp,
  create: async (labels: object) => ({ appId: await world.app({ labels }) }),
  rows: ({ appId }: Record<string, string>) => world.database.appLabel.findMany({ where: { appId: appId ?? '' } }),
}

const ofAppEnv = {
  noun: 'appEnvLabel',
  command: updateAppEnv,
  create: async (labels: object) => ({ appEnvId: (await world.appEnv({ labels })).appEnvId }),
  rows: ({ appEnvId }: Record<string, string>) =>
    world.database.appEnvLabel.findMany({ where: { appEnvId: appEnvId ?? '' } }),
}

describe.each([
  ['an app', ofApp],
  ['an environment', ofAppEnv],
] as const)('the labels of %s', (_title, { noun, command, create, rows }) => {
  const labelsOf = async (target: object) =>
    Object.fromEntries((await rows(target as never)).map(({ key, value }) => [key, value]))
  const change = (target: object, labels: unknown) => world.perform(command, { ...target, labels })
  const lastAudit = (target: object) =>
    world.database.auditEntry.findFirstOrThrow({
      where: { targetId: Object.values(target)[0] as string },
      orderBy: { sequence: 'desc' },
    })

  test('are merged: others stay, null removes one, and null for all removes all', async () => {
    const target = await create({ team: 'checkout', tier: '1' })
    await change(target, { tier: '2', 'example.com/owner': 'Ann B. <ann@example.com>' })
    const all = { team: 'checkout', tier: '2', 'example.com/owner': 'Ann B. <ann@example.com>' }
    expect(await labelsOf(target)).toEqual(all)
    await change(target, { team: null, 'not-there': null })
    expect(await labelsOf(target)).toEqual({ tier: '2', 'example.com/owner': all['example.com/owner'] })
    await change(target, {})
    expect(Object.keys(await labelsOf(target))).toHaveLength(2)
    await change(target, null)
    expect(await labelsOf(target)).toEqual({})
  })

  test('carry the account, for the index that filters use', async () => {
    const target = await create({ team: 'checkout' })
    expect(await rows(target as never)).toMatchObject([{ accountId: world.accountId, key: 'team' }])
  })

  test('are in the audit log, before and after', async () => {
    const target = await create({ team: 'checkout', gone: '' })
    await change(target, { team: 'payments', gone: null, fresh: 'yes' })
    const { details } = await lastAudit(target)
    const changes = (details as { fieldChanges: { type: string; name: string }[] }).fieldChanges
    const shown = changes.filter(({ type }) => type === noun).sort((a, b) => a.name.localeCompare(b.name))
    expect(shown).toMatchObject([
      { name: 'fresh', field: 'value', before: null, after: 'yes' },
      { name: 'gone', field: 'value', before: '', after: null },
      { name: 'team', field: 'value', before: 'checkout', after: 'payments' },
    ])
  })

  test('are at most 32 after the change', async () => {
    const target = await create(many(32))
    await change(target, { 'key-0': null, other: 'x' })
    await expect(change(target, { another: 'x' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { fields: [{ field: 'labels', message: 'would become 33 labels, of which 32 are allowed' }] },
    })
    expect(Object.keys(await labelsOf(target))).toHaveLength(32)
    await expect(create(many(33))).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(change(target, many(65, null))).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  test.each([
    ['-team', 'x'],
    ['team-', 'x'],
    ['te am', 'x'],
    ['a=b', 'x'],
    ['', 'x'],
    ['Example.com/team', 'x'],
    ['example.com/', 'x'],
    ['a/b/c', 'x'],
    ['k'.repeat(129), 'x'],
    ['team', 'x'.repeat(256)],
    ['team', 'two\nlines'],
    ['team', 1],
  ])('refuse %j: %j', async (key, value) => {
    const target = await create({})
    const labels = JSON.parse(`{ ${JSON.stringify(key)}: ${JSON.stringify(value)} }`)
    await expect(change(target, labels)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(create(labels)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    expect(await labelsOf(target)).toEqual({})
  })
})

test('labels change nothing that runs, and a change that changes none is no change', async () => {
  const { appId, appEnvId } = await world.appEnv({ app: { labels: { team: 'checkout' } } })
  await world.deploy(appEnvId)
  const versionOf = async () => (await world.database.app.findUniqueOrThrow({ where: { id: appId } })).version
  const before = await versionOf()
  const same = await world.perform(updateApp, { appId, labels: { team: 'checkout', other: null } })
  expect([same.environmentsAffected, await versionOf()]).toEqual([0, before])
  const other = await world.perform(updateApp, { appId, labels: { team: 'payments' }, applyImmediately: true })
  expect([other.environmentsAffected, other.operationIds, await versionOf()]).toEqual([0, [], before + 1])
})

test('a dry run says what would change and changes nothing', async () => {
  const appId = await world.app({ labels: { team: 'checkout' } })
  await world.perform(updateApp, { appId, labels: { team: 'payments' } }, { dryRun: true })
  expect(await ofApp.rows({ appId })).toMatchObject([{ value: 'checkout' }])
})

test('keys of Kubernetes can be taken over', async () => {
  const labels = { 'app.kubernetes.io/part-of': 'shop', 'helm.sh/chart': 'shop-1.2.3', a: '' }
  const { appId } = await world.perform(createApp, {
    name: 'Shop',
    accountId: world.accountId,
    useImage: true,
    image: 'nginx:1',
    port: 80,
    labels,
  })
  expect(await ofApp.rows({ appId })).toHaveLength(3)
})
