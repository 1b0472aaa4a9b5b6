import type { SealedVariable } from '../../domain/configuration.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import { type Key, sealedWith } from '../../storage/secrets/keys.ts'
import type { AccountVault, Vault } from '../../storage/secrets/vault.ts'

/** The two master keys of a rotation, each with its vault. */
export interface Rotation {
  from: Key
  to: Key
  old: Vault
  next: Vault
}

const PAGE = 200

/** Gives the account a new data key, and seals everything of the account under it, recorded versions included. */
export async function resealAccount(tx: Transaction, { old, next, to }: Rotation, accountId: string): Promise<void> {
  const [account] = await tx.$queryRaw<{ id: string; dataKey: string }[]>`
    SELECT id, data_key AS "dataKey" FROM account WHERE id = ${accountId} FOR UPDATE`
  if (!account || sealedWith(account.dataKey) === to.id) return
  const dataKey = next.wrapNewKey(accountId)
  const [before, after] = [old.forAccount(account), next.forAccount({ id: accountId, dataKey })]
  await resealVariables(tx, accountId, before, after)
  await resealCredentials(tx, accountId, before, after)
  await resealServiceCredentials(tx, accountId, before, after)
  await resealBackupKeys(tx, accountId, before, after)
  await resealInputs(tx, accountId, before, after)
  await resealWebhooks(tx, accountId, before, after)
  await resealGitHooks(tx, accountId, before, after)
  for await (const versions of versionsOf(tx, accountId)) {
    const rows = versions.map(({ id, configuration, buildPlan }) => ({
      id,
      configuration: resealed(configuration, before, after),
      build_plan: resealed(buildPlan, before, after),
    }))
    // Raw, because nothing that a client can see has changed: not the time of the last change either.
    await tx.$executeRaw`
      UPDATE content SET configuration = n.configuration, build_plan = n.build_plan
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS n(id text, configuration jsonb, build_plan jsonb)
      WHERE content.id = n.id`
  }
  for await (const runs of runsOf(tx, accountId)) {
    const rows = runs.map(({ id, snapshot, stdin }) => ({
      id,
      snapshot: resealed(snapshot, before, after),
      stdin: resealed(stdin, before, after),
    }))
    await tx.$executeRaw`
      UPDATE job_run SET snapshot = n.snapshot, stdin = n.stdin
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS n(id text, snapshot jsonb, stdin jsonb)
      WHERE job_run.id = n.id`
  }
  await tx.$executeRaw`UPDATE account SET data_key = ${dataKey} WHERE id = ${accountId}`
}

/** Opens everything that the account has sealed with the new key; returns how many values there are. */
export async function checkAccount(database: Database, { next }: Rotation, accountId: string): Promise<number> {
  const account = await database.account.findUniqueOrThrow({ where: { id: accountId } })
  const vault = next.forAccount(account)
  let values = 0
  for (const variable of await database.variable.findMany({ where: { appEnv: { accountId } } })) {
    vault.openVariable(variable)
    values += 1
  }
  for (const { id, sealedData } of await database.credential.findMany({ where: { accountId } })) {
    vault.openCredential(id, sealedData)
    values += 1
  }
  for (const { id, sealedData, sealedNext } of await database.serviceCredentials.findMany({ where: { accountId } })) {
    for (const sealed of [sealedData, sealedNext]) if (sealed !== null) vault.openServiceCredentials(id, sealed)
    values += 1
  }
  for (const { id, sealedKey } of await database.backup.findMany({ where: { accountId } })) {
    if (sealedKey !== null) vault.openBackupKey(id, sealedKey)
    values += 1
  }
  for (const { id, sealedKey } of await database.walPiece.findMany({ where: { archive: { accountId } } })) {
    if (sealedKey !== null) vault.openBackupKey(id, sealedKey)
    values += 1
  }
  for (const { id, sealedInputs } of await database.solutionInstallation.findMany({ where: { accountId } })) {
    vault.openInputs(id, sealedInputs)
    values += 1
  }
  for (const { id, sealedData } of await database.webhook.findMany({ where: { accountId } })) {
    vault.openWebhook(id, sealedData)
    values += 1
  }
  for (const { id, sealedData } of await database.gitHook.findMany({ where: { accountId } })) {
    vault.openGitHook(id, sealedData)
    values += 1
  }
  for await (const versions of versionsOf(database, accountId)) {
    for (const version of versions) resealed([version.configuration, version.buildPlan], vault, vault)
    values += versions.length
  }
  for await (const runs of runsOf(database, accountId)) {
    for (const { snapshot, stdin } of runs) resealed([snapshot, stdin], vault, vault)
    values += runs.length
  }
  return values
}

async function resealVariables(tx: Transaction, accountId: string, before: AccountVault, after: AccountVault) {
  const variables = await tx.variable.findMany({ where: { appEnv: { accountId } } })
  const rows = variables.map((variable) => after.sealAgain(variable, before.openVariable(variable)))
  await tx.$executeRaw`
    UPDATE variable SET sealed_value = n."sealedValue", fingerprint = n.fingerprint
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS n(id text, "sealedValue" text, fingerprint text)
    WHERE variable.id = n.id`
}

async function resealCredentials(tx: Transaction, accountId: string, before: AccountVault, after: AccountVault) {
  for (const { id, sealedData } of await tx.credential.findMany({ where: { accountId } })) {
    const sealed = after.sealCredential(id, before.openCredential(id, sealedData))
    await tx.$executeRaw`UPDATE credential SET sealed_data = ${sealed} WHERE id = ${id}`
  }
}

async function resealServiceCredentials(tx: Transaction, accountId: string, before: AccountVault, after: AccountVault) {
  for (const { id, sealedData, sealedNext } of await tx.serviceCredentials.findMany({ where: { accountId } })) {
    const again = (sealed: string) => after.sealServiceCredentials(id, before.openServiceCredentials(id, sealed))
    const data = { sealedData: again(sealedData), sealedNext: sealedNext && again(sealedNext) }
    await tx.serviceCredentials.update({ where: { id }, data })
  }
}

async function resealInputs(tx: Transaction, accountId: string, before: AccountVault, after: AccountVault) {
  for (const { id, sealedInputs } of await tx.solutionInstallation.findMany({ where: { accountId } })) {
    const sealed = after.sealInputs(id, before.openInputs(id, sealedInputs))
    await tx.$executeRaw`UPDATE solution_installation SET sealed_inputs = ${sealed} WHERE id = ${id}`
  }
}

async function resealWebhooks(tx: Transaction, accountId: string, before: AccountVault, after: AccountVault) {
  for (const { id, sealedData } of await tx.webhook.findMany({ where: { accountId } })) {
    const sealed = after.sealWebhook(id, before.openWebhook(id, sealedData))
    await tx.$executeRaw`UPDATE webhook SET sealed_data = ${sealed} WHERE id = ${id}`
  }
}

async function resealGitHooks(tx: Transaction, accountId: string, before: AccountVault, after: AccountVault) {
  for (const { id, sealedData } of await tx.gitHook.findMany({ where: { accountId } })) {
    const sealed = after.sealGitHook(id, before.openGitHook(id, sealedData))
    await tx.$executeRaw`UPDATE git_hook SET sealed_data = ${sealed} WHERE id = ${id}`
  }
}

/** Files of backups stay as they are: only their keys are sealed. */
async function resealBackupKeys(tx: Transaction, accountId: string, before: AccountVault, after: AccountVault) {
  for (const { id, sealedKey } of await tx.backup.findMany({ where: { accountId, sealedKey: { not: null } } })) {
    if (sealedKey === null) continue
    const sealed = after.sealBackupKey(id, before.openBackupKey(id, sealedKey))
    await tx.backup.update({ where: { id }, data: { sealedKey: sealed } })
  }
  for (const { id, sealedKey } of await tx.walPiece.findMany({ where: { archive: { accountId } } })) {
    if (sealedKey === null) continue
    const sealed = after.sealBackupKey(id, before.openBackupKey(id, sealedKey))
    await tx.walPiece.update({ where: { id }, data: { sealedKey: sealed } })
  }
}

async function* versionsOf(tx: Transaction, accountId: string) {
  for (let after = ''; ; ) {
    const versions = await tx.content.findMany({
      where: { accountId, id: { gt: after } },
      select: { id: true, configuration: true, buildPlan: true },
      orderBy: { id: 'asc' },
      take: PAGE,
    })
    if (versions.length === 0) return
    yield versions
    after = versions.at(-1)?.id ?? ''
  }
}

/** Each may have a megabyte of input. */
const RUNS_AT_ONCE = 20

async function* runsOf(tx: Transaction, accountId: string) {
  for (let after = ''; ; ) {
    const runs = await tx.jobRun.findMany({
      where: { accountId, id: { gt: after } },
      select: { id: true, snapshot: true, stdin: true },
      orderBy: { id: 'asc' },
      take: RUNS_AT_ONCE,
    })
    if (runs.length === 0) return
    yield runs
    after = runs.at(-1)?.id ?? ''
  }
}

/** Every sealed variable in a recorded shape, wherever it is in it: older versions were recorded with other shapes. */
function resealed(value: unknown, before: AccountVault, after: AccountVault): unknown {
  if (Array.isArray(value)) return value.map((item) => resealed(item, before, after))
  if (value === null || typeof value !== 'object') return value
  if ('sealedValue' in value) {
    const variable = value as SealedVariable
    return after.sealAgain(variable, before.openVariable(variable))
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resealed(item, before, after)]))
}
