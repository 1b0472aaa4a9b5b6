import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../../src/calls/caller.ts'
import type { AnyCommand, CallOptions } from '../../src/calls/command.ts'
import { readConfig } from '../../src/config/config.ts'
import type { DomainError } from '../../src/domain/errors.ts'
import { createApp } from '../../src/services/app/create-app.ts'
import { deleteApp } from '../../src/services/app/delete-app.ts'
import { updateApp } from '../../src/services/app/update-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { openInstallation } from '../../src/services/installation.ts'
import { deployImage } from '../../src/services/lifecycle/deploy-image.ts'
import { stopAppEnv } from '../../src/services/lifecycle/stop.ts'
import { cancelOperation } from '../../src/services/operation/cancel-operation.ts'
import { createServices, type Services } from '../../src/services/services.ts'
import { auditHash } from '../../src/storage/events/audit-hash.ts'
import { createWakeups, type Wakeups } from '../../src/storage/events/wakeups.ts'
import { newKey } from '../../src/storage/secrets/keys.ts'
import { newSecret } from '../../src/storage/secrets/token-secret.ts'
import { createVault } from '../../src/storage/secrets/vault.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { endOperation } from '../support/end-operation.ts'

let held: TestDatabase
let wakeups: Wakeups
let services: Services
let admin: Caller
let accountId: string

beforeAll(async () => {
  held = await createTestDatabase({ poolSize: 20 })
  const config = readConfig({})
  const vault = createVault(newKey())
  const token = newSecret('USER')
  await openInstallation(held.database, vault, config, token)
  wakeups = createWakeups({ url: held.url, log: pino({ level: 'silent' }) })
  services = createServices({ database: held.database, config, vault, wakeups })
  admin = await services.authenticate(token)
  accountId = admin.currentAccountId ?? ''
})

afterAll(async () => {
  await wakeups.close()
  await held.drop()
})

const call = (command: AnyCommand, input: unknown, options: Partial<CallOptions> = {}) =>
  services.perform(admin, command, input, { requestId: 'req_test', api: 'test', ...options })

const newApp = async (name: string) => {
  const { result } = await call(createApp, { name, accountId, port: 80, useImage: true, image: 'shop:1' })
  return String(result.appId)
}

const newAppEnv = async (name: string) => {
  const appId = await newApp(name)
  const { result } = await call(createAppEnv, { accountId, appId, name: 'production', region: 'local' })
  return { appId, appEnvId: String(result.appEnvId) }
}

const refusal = (code: string, reason?: string) => expect.objectContaining({ code, ...(reason ? { reason } : {}) })

describe('a write', () => {
  test('names every wrong field, and changes nothing', async () => {
    const bad = call(createApp, { name: '', accountId, port: 70000, colour: 'red', dockerPreset: 'COBOL' })
    const error = await bad.catch((caught: DomainError) => caught)
    expect(error).toEqual(refusal('INVALID_INPUT'))
    const fields = (error as DomainError).details.fields?.map((problem) => problem.field)
    expect(fields).toEqual(expect.arrayContaining(['name', 'port', 'colour', 'dockerPreset']))
  })

  test('leaves exactly one audit entry, chained to the one before', async () => {
    await newApp('Chained')
    const entries = await held.database.auditEntry.findMany({
      where: { eventSequenceId: accountId },
      orderBy: { sequence: 'asc' },
    })
    let previous = ''
    for (const [index, entry] of entries.entries()) {
      expect(entry.sequence).toBe(BigInt(index + 1))
      const { hash, ...hashed } = entry
      previous = auditHash(previous, hashed as Parameters<typeof auditHash>[1]) ?? ''
      expect(hash).toBe(previous)
    }
  })

  test('as a dry run decides and answers the same, and changes nothing', async () => {
    const before = await held.database.app.count()
    const { result } = await call(createApp, { name: 'Dry', accountId, port: 80 }, { dryRun: true })
    expect(result).toMatchObject({ dryRun: true, changes: { name: 'Dry' } })
    expect(await held.database.app.count()).toBe(before)
    await expect(call(createApp, { name: 'Dry', accountId }, { dryRun: true })).rejects.toEqual(
      refusal('INVALID_INPUT'),
    )
  })

  test('with an outdated version is refused', async () => {
    const appId = await newApp('Versioned')
    await call(updateApp, { appId, port: 81 }, { expectedVersion: 1 })
    await expect(call(updateApp, { appId, port: 82 }, { expectedVersion: 1 })).rejects.toEqual(
      refusal('PRECONDITION_FAILED'),
    )
    const racing = Array.from({ length: 10 }, (_, index) =>
      call(updateApp, { appId, port: 90 + index }, { expectedVersion: 2 }),
    )
    const outcomes = await Promise.allSettled(racing)
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
  })
})

describe('an idempotency key', () => {
  test('turns fifty parallel calls into one operation and fifty equal answers', async () => {
    const { appEnvId } = await newAppEnv('Fifty')
    const input = { appEnvId, image: 'shop:2' }
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => call(deployImage, input, { idempotencyKey: 'fifty' })),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer.result))).size).toBe(1)
    expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1)
    expect(await held.database.operation.count({ where: { appEnvId } })).toBe(1)
  })

  test('is refused with another request', async () => {
    await call(createApp, { name: 'Key', accountId, port: 80 }, { idempotencyKey: 'mismatch' })
    const other = call(createApp, { name: 'Other', accountId, port: 80 }, { idempotencyKey: 'mismatch' })
    await expect(other).rejects.toEqual(refusal('IDEMPOTENCY_MISMATCH'))
  })

  test('repeats a refusal, even when the state has changed', async () => {
    const appId = await newApp('Refused')
    const { result } = await call(createAppEnv, { accountId, appId, name: 'a', region: 'local', preventDestroy: true })
    const first = call(deleteApp, { appId }, { idempotencyKey: 'refused' })
    await expect(first).rejects.toEqual(refusal('CONFLICT', 'PREVENT_DESTROY'))
    await held.database.appEnv.update({ where: { id: String(result.appEnvId) }, data: { preventDestroy: false } })
    const again = call(deleteApp, { appId }, { idempotencyKey: 'refused' })
    await expect(again).rejects.toEqual(refusal('CONFLICT', 'PREVENT_DESTROY'))
  })

  test('turns fifty parallel refusals into one, whatever happens to the state meanwhile', async () => {
    const { appEnvId } = await newAppEnv('Fifty refusals')
    const refused = Array.from({ length: 50 }, () => call(stopAppEnv, { appEnvId }, { idempotencyKey: 'refusals' }))
    const deployed = call(deployImage, { appEnvId, image: 'shop:1' })
    const outcomes = await Promise.allSettled(refused)
    await deployed
    const answers = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? JSON.stringify(outcome.value.result) : String(outcome.reason.reason),
    )
    expect(new Set(answers).size).toBe(1)
  })

  test('is not held by a call that does not wait', async () => {
    const { appEnvId } = await newAppEnv('Nothing to wait for')
    const options = { idempotencyKey: 'nothing', waitSeconds: 60 }
    const input = { appEnvId, preventDestroy: true }
    const first = await call(updateAppEnv, input, options)
    expect(await call(updateAppEnv, input, options)).toMatchObject({ replayed: true, result: first.result })
  })

  test('is waited for again when the caller has disconnected, and answered with the result', async () => {
    const { appEnvId } = await newAppEnv('Hung up')
    const hungUp = new AbortController()
    const options = { idempotencyKey: 'hung up', waitSeconds: 20 }
    const input = { appEnvId, image: 'shop:1' }
    const lost = call(deployImage, input, { ...options, signal: hungUp.signal })
    await expect.poll(() => held.database.operation.count({ where: { appEnvId } })).toBe(1)
    await expect(call(deployImage, input, options)).rejects.toEqual(refusal('CONFLICT', 'IDEMPOTENCY_IN_PROGRESS'))
    hungUp.abort()
    await lost
    const again = call(deployImage, input, options)
    const operation = await held.database.operation.findFirstOrThrow({ where: { appEnvId } })
    await endOperation(held.database, operation.id)
    expect((await again).result).toMatchObject({ appEnv: { status: 'RUNNING' } })
    expect((await call(deployImage, input, options)).result).toEqual((await again).result)
  })

  test('does not keep a mistake in the input', async () => {
    const options = { idempotencyKey: 'mistake' }
    await expect(call(createApp, { name: 'Mistake', accountId }, options)).rejects.toEqual(refusal('INVALID_INPUT'))
    const { replayed } = await call(createApp, { name: 'Mistake', accountId, port: 80 }, options)
    expect(replayed).toBe(false)
  })
})

describe('operations of one environment', () => {
  test('never overlap: a newer one ends the older, and versions have no gaps', async () => {
    const { appEnvId } = await newAppEnv('Busy')
    await Promise.all(Array.from({ length: 12 }, (_, index) => call(deployImage, { appEnvId, image: `shop:${index}` })))
    const operations = await held.database.operation.findMany({ where: { appEnvId } })
    expect(operations.filter((operation) => operation.status === 'QUEUED')).toHaveLength(1)
    expect(operations.filter((operation) => operation.reason === 'SUPERSEDED')).toHaveLength(11)
    const contents = await held.database.content.findMany({ where: { appEnvId }, orderBy: { version: 'asc' } })
    expect(contents.map((content) => content.version)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
    expect(contents.filter((content) => content.status === 'CANCELLED')).toHaveLength(11)
  })

  test('are cancelled at once, and the environment returns to its previous state', async () => {
    const { appEnvId } = await newAppEnv('Cancelled')
    const { result } = await call(deployImage, { appEnvId, image: 'shop:1' })
    const cancelled = await call(cancelOperation, { operationId: result.operationId })
    expect(cancelled.result).toMatchObject({ appEnv: { status: 'PENDING' } })
    await expect(call(cancelOperation, { operationId: result.operationId })).rejects.toEqual(
      refusal('CONFLICT', 'OPERATION_ENDED'),
    )
  })
})

test('events of an account have no gaps, and follow the order of commits', async () => {
  await Promise.all(Array.from({ length: 8 }, (_, index) => newAppEnv(`Event ${index}`)))
  const events = await held.database.event.findMany({
    where: { eventSequenceId: accountId },
    orderBy: { sequence: 'asc' },
  })
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, index) => BigInt(index + 1)))
})
