import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DomainError } from '../../src/domain/errors.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { changeScaling } from '../../src/services/app-env/setting-commands.ts'
import { createToken } from '../../src/services/token/token-commands.ts'
import { requestStorageKey } from '../../src/services/upload/request-storage-key.ts'
import { createWorld, type World } from '../support/world.ts'

const MB = 1024 * 1024

let world: World
let uploads: string
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'berth-budgets-'))
  world = await createWorld({
    settings: {
      BERTH_DATA_DIR: dataDir,
      BERTH_TOKENS: '3',
      BERTH_ACCOUNT_APP_ENVS: '4',
      BERTH_ACCOUNT_CONTAINERS: '10',
      BERTH_UPLOAD_BUDGET_MB: '4',
      BERTH_SOURCE_LIMIT_MB: '3',
    },
  })
  const app = { name: 'Uploads', useImage: false, image: undefined, isCliDeployment: true }
  uploads = (await world.appEnv({ app })).appEnvId
})

afterAll(async () => {
  await world?.close()
  await rm(dataDir, { recursive: true, force: true })
})

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error) => (error instanceof DomainError ? error : Promise.reject(error)),
  )

async function newKey() {
  const { storageKey, uploadUrl } = await world.perform(requestStorageKey, { appEnvId: uploads, fileExtension: '.zip' })
  return { storageKey, secret: new URL(uploadUrl).searchParams.get('secret') ?? '' }
}

/** An archive that arrives in pieces, until it is told to end. */
async function* archive(megabytes: number, end: Promise<unknown> = Promise.resolve()) {
  for (let sent = 0; sent < megabytes; sent += 1) yield new Uint8Array(MB)
  await end
}

describe('uploads of an account', () => {
  test('take one PUT per key at a time', async () => {
    const key = await newKey()
    const end = Promise.withResolvers<void>()
    const first = world.services.uploads.receive({ ...key, declaredBytes: MB }, archive(1, end.promise))
    await expect
      .poll(async () => (await world.database.upload.findUnique({ where: { id: key.storageKey } }))?.receivingUntil)
      .not.toBeNull()
    const others = Array.from({ length: 19 }, () =>
      refusal(world.services.uploads.receive({ ...key, declaredBytes: MB }, archive(1))),
    )
    for (const refused of await Promise.all(others))
      expect(refused).toMatchObject({
        code: 'RATE_LIMITED',
        reason: 'UPLOAD_IN_PROGRESS',
        details: { retryAfterSeconds: 30 },
      })
    end.resolve()
    expect(await first).toMatchObject({ sizeBytes: MB })
    expect(await world.services.uploads.receive({ ...key, declaredBytes: MB }, archive(1))).toMatchObject({
      sizeBytes: MB,
    })
  })

  test('stay within its budget, kept ones and those on their way together', async () => {
    const [one, two] = [await newKey(), await newKey()]
    const end = Promise.withResolvers<void>()
    const underWay = world.services.uploads.receive({ ...one, declaredBytes: 2 * MB }, archive(2, end.promise))
    await expect
      .poll(async () => (await world.database.upload.findUnique({ where: { id: one.storageKey } }))?.receivingUntil)
      .not.toBeNull()
    // Without a length, it may become as large as a source may be.
    const refused = await refusal(world.services.uploads.receive(two, archive(1)))
    expect(refused).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', reason: 'UPLOAD_BUDGET' })
    expect(refused?.message).toMatch(
      /may have 4 MB of uploads \(BERTH_UPLOAD_BUDGET_MB\): 3 MB are kept .* may add 3 MB/,
    )
    expect(await world.services.uploads.receive({ ...two, declaredBytes: MB }, archive(1))).toMatchObject({
      sizeBytes: MB,
    })
    end.resolve()
    await underWay
  })

  test('cannot be larger than they were declared', async () => {
    const key = await newKey()
    expect(await refusal(world.services.uploads.receive({ ...key, declaredBytes: 1 }, archive(1)))).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    })
  })
})

test('a user and an environment have a limited number of tokens that work', async () => {
  const input = { kind: 'USER', name: 'more' }
  const { tokenId } = await world.perform(createToken, input)
  await world.perform(createToken, input)
  const refused = await refusal(world.perform(createToken, input))
  expect(refused).toMatchObject({ code: 'CONFLICT', reason: 'TOO_MANY_TOKENS' })
  expect(refused?.message).toBe('The user has 3 tokens that work, and may have 3 (BERTH_TOKENS): revoke some first')
  await world.database.token.update({ where: { id: tokenId }, data: { expiresAt: new Date(Date.now() - 1000) } })
  expect(await refusal(world.perform(createToken, input))).toBeNull()
})

test('an account has a limited number of environments and containers, also under calls at the same time', async () => {
  const { appId, accountId } = await world.appEnv({ containers: 5 })
  const create = (name: string, containers: number) =>
    refusal(world.perform(createAppEnv, { accountId, appId, name, region: 'local', containers }))
  expect((await create('large', 5))?.message).toMatch(
    /^containers: .* up to 6 containers, and 5 more .* \(BERTH_ACCOUNT_CONTAINERS\)$/,
  )
  const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map((name) => create(name, 1)))
  expect(outcomes.filter((one) => one === null)).toHaveLength(2)
  expect(outcomes.find((one) => one)?.message).toBe(
    'The account has 4 environments, and may have 4 (BERTH_ACCOUNT_APP_ENVS)',
  )
  const autoScaling = { enabled: true, min: 1, max: 5, cpuPercent: 70 }
  expect(await refusal(world.perform(changeScaling, { appEnvId: uploads, autoScaling }))).toMatchObject({
    reason: 'ACCOUNT_LIMIT',
  })
})
