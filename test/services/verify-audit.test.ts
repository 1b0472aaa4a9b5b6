import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { verifyAudit } from '../../src/services/audit/verify-audit.ts'
import { openInstallation } from '../../src/services/installation.ts'
import { auditHash, type HashedAuditEntry } from '../../src/storage/events/audit-hash.ts'
import { newKey, seal } from '../../src/storage/secrets/keys.ts'
import { createVault } from '../../src/storage/secrets/vault.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let accountId: string

beforeAll(async () => {
  world = await createWorld()
  await expectAppendOnly(world)
  // What follows is done by somebody with all rights.
  await world.database.$executeRaw`ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_is_append_only`
})
afterAll(() => world.close())

beforeEach(async () => {
  accountId = await world.account()
  for (let count = 0; count < 4; count += 1) await world.app({ accountId })
})

async function expectAppendOnly({ database }: World): Promise<void> {
  for (const statement of [`UPDATE audit_entry SET details = '{}'`, 'DELETE FROM audit_entry', 'TRUNCATE audit_entry'])
    await expect(database.$executeRawUnsafe(statement)).rejects.toThrow('Entries of the audit log cannot be changed')
}

async function verified(id = accountId, vault = world.vault) {
  for await (const chain of verifyAudit(world.database, vault)) if (chain.id === id) return chain
  throw new Error(`There is no chain ${id}`)
}

/** Where the chain is broken; null where it holds. */
const brokenAt = async () => {
  const { broken } = await verified()
  return broken && Number(broken.sequence)
}

const entries = () =>
  world.database.auditEntry.findMany({ where: { eventSequenceId: accountId }, orderBy: { sequence: 'asc' } })

const change = (sequence: number, data: object) =>
  world.database.auditEntry.update({
    where: { eventSequenceId_sequence: { eventSequenceId: accountId, sequence } },
    data,
  })

/** What somebody can do who may write to the database and knows how hashes are made. */
async function writeAgain(upTo: number): Promise<void> {
  let hash = ''
  for (const entry of (await entries()).slice(0, upTo)) {
    hash = auditHash(hash, entry as HashedAuditEntry) ?? ''
    await change(Number(entry.sequence), { hash })
  }
  const data = { lastAuditSequence: upTo, lastAuditHash: hash }
  await world.database.eventSequence.update({ where: { id: accountId }, data })
}

const cut = (from: number) =>
  world.database.auditEntry.deleteMany({ where: { eventSequenceId: accountId, sequence: { gte: from } } })

test('every chain holds as it was written, the installation’s too', async () => {
  expect(await verified()).toMatchObject({ entries: 4, broken: null })
  expect(await verified('installation')).toMatchObject({ broken: null })
})

test.each([
  ['its time', { createdAt: new Date(0) }],
  ['what was done', { action: 'nothing' }],
  ['who did it', { actorId: 'somebody' }],
  ['its details', { details: { name: 'other' } }],
  ['the version of its hash', { hashVersion: 1 }],
])('a change of %s shows at its entry', async (_what, data) => {
  await change(2, data)
  expect(await brokenAt()).toBe(2)
})

test('a missing entry shows, in the middle and at the end', async () => {
  await world.database.auditEntry.deleteMany({ where: { eventSequenceId: accountId, sequence: 3 } })
  expect(await brokenAt()).toBe(3)
  await cut(3)
  expect(await brokenAt()).toBe(3)
})

test('a chain that was written again, or cut with its head, shows without the key, and no later write heals it', async () => {
  await change(2, { createdAt: new Date(0) })
  await writeAgain(4)
  expect((await verified()).broken?.problem).toMatch(/^the head is not sealed with the master key/)
  await cut(3)
  await writeAgain(2)
  expect((await verified()).broken?.problem).toMatch(/^the head is not sealed with the master key/)
  await world.app({ accountId })
  expect((await verified()).broken?.problem).toMatch(/^the head is not sealed with the master key/)
})

test('a chain that was removed as a whole shows, and no later write heals it', async () => {
  await cut(1)
  await world.database.event.deleteMany({ where: { eventSequenceId: accountId } })
  await world.database.eventSequence.delete({ where: { id: accountId } })
  expect((await verified()).broken?.problem).toBe('the head of the chain is missing')
  await world.app({ accountId })
  expect((await verified()).broken?.problem).toMatch(/^the head is not sealed/)
})

test('another master key does not seal', async () => {
  expect((await verified(accountId, createVault(newKey()))).broken?.problem).toMatch(/^the head is not sealed/)
})

test('entries from before an upgrade hold, and are sealed once', async () => {
  let hash = ''
  for (const entry of await entries()) {
    hash = auditHash(hash, { ...(entry as HashedAuditEntry), hashVersion: 1 }) ?? ''
    await change(Number(entry.sequence), { hash, hashVersion: 1 })
  }
  await world.database.eventSequence.update({
    where: { id: accountId },
    data: { lastAuditHash: hash, auditHeadMac: null },
  })
  const start = () => openInstallation(world.database, world.vault, world.config, world.adminToken)
  await start()
  expect((await verified()).broken?.problem).toMatch(/^the head is not sealed/)

  const keyCheck = seal(world.masterKey, 'installation/keyCheck', 'berth')
  await world.database.installation.updateMany({ data: { keyCheck } })
  await start()
  expect((await verified()).broken).toBeNull()
  await world.app({ accountId })
  expect(await verified()).toMatchObject({ entries: 5, broken: null })
})
