import { failpoint } from '../../fault-injection/failpoint.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import type { Installation } from '../../storage/database/generated/prisma/client.ts'
import type { NewAuditEntry } from '../../storage/events/audit-hash.ts'
import { moveAuditHeads } from '../../storage/events/audit-heads.ts'
import { INSTALLATION_EVENTS } from '../../storage/events/event.ts'
import { record } from '../../storage/events/record.ts'
import { openFingerprintKey, sealFingerprintKey } from '../../storage/secrets/fingerprint-key.ts'
import { type Key, sealedWith } from '../../storage/secrets/keys.ts'
import { createVault } from '../../storage/secrets/vault.ts'
import { lockInstallation } from '../installation.ts'
import { checkAccount, type Rotation, resealAccount } from './reseal-account.ts'

// One account is one transaction, however many versions it has.
const LONG = { timeout: 3_600_000, maxWait: 20_000 }

export interface Rotated {
  accounts: number
  /** Variables, credentials and recorded versions. */
  values: number
}

/**
 * Seals everything that is sealed under a new master key and new data keys. Each step is one transaction that leaves
 * what it covers under one of the two keys as a whole, so a rotation that was killed is finished by calling this again
 * with the same keys. Refuses while a process of Berth uses the database; none starts until it is complete.
 */
export async function rotateMasterKey(database: Database, keys: { from: Key; to: Key }): Promise<Rotated> {
  const rotation: Rotation = { ...keys, old: createVault(keys.from), next: createVault(keys.to) }
  const isComplete = await database.$transaction((tx) => begin(tx, rotation), LONG)
  failpoint('rotation.step', 'begun')
  const accounts = await database.account.findMany({ select: { id: true }, orderBy: { id: 'asc' } })
  if (!isComplete) {
    for (const { id } of accounts) {
      await database.$transaction((tx) => resealAccount(tx, rotation, id), LONG)
      failpoint('rotation.step', 'account')
    }
    await resealAnswers(database, rotation)
    // Questions to users that were open ten minutes ago at most; they are asked again.
    await database.oauthState.deleteMany({ where: { kind: { not: 'RefreshToken' } } })
    await database.$transaction((tx) => resealCodeSecrets(tx, rotation), LONG)
    failpoint('rotation.step', 'answers')
  }
  let values = await checkCodeSecrets(database, rotation)
  for (const { id } of accounts) values += await checkAccount(database, rotation, id)
  if (!isComplete) await database.$transaction((tx) => complete(tx, rotation, accounts.length), LONG)
  failpoint('rotation.step', 'complete')
  return { accounts: accounts.length, values }
}

/** True when the database has changed keys already, and only the files are left to do. */
async function begin(tx: Transaction, { old, next, to }: Rotation): Promise<boolean> {
  await lockInstallation(tx)
  const installation = await tx.installation.findFirst()
  if (!installation) throw new Error('There is no installation in this database, and so no key to rotate.')
  if (next.passesCheck(installation.keyCheck)) return true
  if (!old.passesCheck(installation.keyCheck)) {
    throw new Error(
      `The present master key (${old.masterKeyId}) is not the one of this database (${installation.masterKeyId}). Restore that one first.`,
    )
  }
  if (installation.rotatingTo !== null && installation.rotatingTo !== to.id) {
    throw new Error(
      `A rotation to the key ${installation.rotatingTo} was interrupted, and the file of the next key holds ${to.id}. Restore the file master-key.next.`,
    )
  }
  await refuseWhileUsed(tx)
  await tx.installation.update({ where: { id: installation.id }, data: { rotatingTo: to.id } })
  return false
}

/** By the names that processes give to their sessions. An ingress has no key, and may run on. */
async function refuseWhileUsed(tx: Transaction): Promise<void> {
  const [used] = await tx.$queryRaw<{ sessions: bigint }[]>`
    SELECT count(*) AS sessions FROM pg_stat_activity
    WHERE datname = current_database() AND application_name IN ('berth', 'berth-listen')`
  if (!used?.sessions) return
  throw new Error(
    `Berth is running: ${used.sessions} session(s) use this database. Stop every process with the role api or worker, then rotate the key. Apps keep running.`,
  )
}

async function complete(tx: Transaction, rotation: Rotation, accounts: number): Promise<void> {
  await lockInstallation(tx)
  const installation = await tx.installation.findFirstOrThrow()
  if (rotation.next.passesCheck(installation.keyCheck)) return
  const left = await tx.account.findMany({ select: { dataKey: true } })
  if (left.some(({ dataKey }) => sealedWith(dataKey) !== rotation.to.id))
    throw new Error('An account is still sealed with the old key; rotate again.')
  await tx.installation.update({ where: { id: installation.id }, data: rotated(rotation, installation) })
  await moveAuditHeads(tx, rotation.old, rotation.next)
  const entry: NewAuditEntry = {
    action: 'rotateMasterKey',
    actorType: 'SYSTEM',
    actorId: null,
    tokenId: null,
    targetType: 'installation',
    targetId: installation.id,
    requestId: `rotation-${rotation.to.id}`,
    details: { from: rotation.from.id, to: rotation.to.id, accounts },
  }
  await record(tx, INSTALLATION_EVENTS, [], { entry, heads: rotation.next })
}

const rotated = ({ from, to, next }: Rotation, { fingerprintKey }: Installation) => ({
  masterKeyId: to.id,
  keyCheck: next.keyCheck(),
  rotatingTo: null,
  fingerprintKey: sealFingerprintKey(to, openFingerprintKey(from, fingerprintKey)),
})

const PAGE = 500

interface Answer {
  callerId: string
  route: string
  key: string
  response: string
}

/** The kept answers of idempotency keys: a repeat after the rotation is answered as before it. */
async function resealAnswers(database: Database, { from, old, next }: Rotation): Promise<void> {
  for (;;) {
    const answers = await database.$queryRaw<Answer[]>`
      SELECT caller_id AS "callerId", route, key, response FROM idempotency_record
      WHERE response LIKE ${`v1.${from.id}.%`} LIMIT ${PAGE}`
    if (answers.length === 0) return
    const rows = answers.map(({ callerId, route, key, response }) => {
      const call = `${callerId}/${route}/${key}`
      return { callerId, route, key, before: response, response: next.sealAnswer(call, old.openAnswer(call, response)) }
    })
    await database.$executeRaw`
      UPDATE idempotency_record AS r SET response = n.response
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS n("callerId" text, route text, key text, before text, response text)
      WHERE r.caller_id = n."callerId" AND r.route = n.route AND r.key = n.key AND r.response = n.before`
  }
}

/** What makes people's codes for signing in, which belongs to no account. */
async function resealCodeSecrets(tx: Transaction, { old, next, to }: Rotation): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM code_generator FOR UPDATE`
  for (const { userId, sealedSecret } of await tx.codeGenerator.findMany()) {
    if (sealedWith(sealedSecret) === to.id) continue
    const sealed = next.sealCodeSecret(userId, old.openCodeSecret(userId, sealedSecret))
    await tx.codeGenerator.update({ where: { userId }, data: { sealedSecret: sealed } })
  }
}

/** Opens each with the new key; returns how many there are. */
async function checkCodeSecrets(database: Database, { next }: Rotation): Promise<number> {
  const generators = await database.codeGenerator.findMany()
  for (const { userId, sealedSecret } of generators) next.openCodeSecret(userId, sealedSecret)
  return generators.length
}
