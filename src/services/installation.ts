import { appTypes } from '../app-types/app-types.ts'
import { revokeTokens } from '../calls/revoke-tokens.ts'
import type { Config } from '../config/config.ts'
import { VERSION } from '../config/version.ts'
import { newId } from '../domain/ids.ts'
import type { Database, Transaction } from '../storage/database/client.ts'
import { type Installation, Prisma } from '../storage/database/generated/prisma/client.ts'
import { beginAuditChain, sealAuditHeads } from '../storage/events/audit-heads.ts'
import { INSTALLATION_EVENTS } from '../storage/events/event.ts'
import { addExtraHosts } from '../storage/references/automatic-hosts.ts'
import { hashOfSecret } from '../storage/secrets/token-secret.ts'
import type { Vault } from '../storage/secrets/vault.ts'
import { applyPlansFile, readPlansFile } from './plan/plans-file.ts'

const FIRST_REGION = 'local'
const FIRST_PLAN = 'standard'

/**
 * Turns a fresh database into an installation: one account, one admin, one region, one plan that allows everything
 * (contract §5). On an existing installation it checks the master key and makes sure that the admin token works.
 * Returns the installation's id, which marks its resources on the engine. Throws when the key is wrong, and when there
 * are apps of a type that this version does not run: every answer about them would fail.
 */
export async function openInstallation(
  database: Database,
  vault: Vault,
  config: Config,
  adminToken: string,
): Promise<string> {
  const plansFile = config.BERTH_PLANS_FILE === undefined ? null : await readPlansFile(config.BERTH_PLANS_FILE)
  return database.$transaction(
    async (tx) => {
      await lockInstallation(tx)
      const present = await tx.installation.findFirst()
      if (present) {
        refuseOtherKey(present, vault)
        if (!vault.hasSealedHeads(present.keyCheck)) await beginToSealHeads(tx, present, vault)
      }
      await refuseUnknownAppTypes(tx)
      const installationId = present?.id ?? (await createInstallation(tx, vault, config))
      await tx.installation.update({ where: { id: installationId }, data: { berthVersion: VERSION } })
      await ensureAdminToken(tx, adminToken)
      await tx.region.update({ where: { code: FIRST_REGION }, data: { domain: config.BERTH_DOMAIN } })
      if (plansFile) await applyPlansFile(tx, plansFile, { vault, installationId, firstRegion: FIRST_REGION })
      await requireDefaultPlan(tx, config)
      await addExtraHosts(tx, config)
      return installationId
    },
    { timeout: 20_000, maxWait: 20_000 },
  )
}

/** Several processes may start at once on an empty database, or while its key is rotated. */
export async function lockInstallation(tx: Transaction): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('berth installation'))`
}

function refuseOtherKey({ rotatingTo, keyCheck, masterKeyId }: Installation, vault: Vault): void {
  if (rotatingTo !== null) {
    throw new Error(
      `The master key of this database is being rotated (${masterKeyId} to ${rotatingTo}). ` +
        'Berth does not start before that is complete: wait for npm run key:rotate, or run it again if it was interrupted.',
    )
  }
  if (vault.passesCheck(keyCheck)) return
  throw new Error(
    `The master key (${vault.masterKeyId}) is not the one this database was made with (${masterKeyId}). ` +
      'Berth does not start, because it could not open any secret. Restore the master-key file or set BERTH_MASTER_KEY. ' +
      'If a rotation was interrupted (there is a file master-key.next), finish it with npm run key:rotate.',
  )
}

/** Once, after an upgrade: the new check cannot be taken back without the key, and so it cannot happen again. */
async function beginToSealHeads(tx: Transaction, { id }: Installation, vault: Vault): Promise<void> {
  await sealAuditHeads(tx, vault)
  await tx.installation.update({ where: { id }, data: { keyCheck: vault.keyCheck() } })
}

async function requireDefaultPlan(tx: Transaction, { BERTH_DEFAULT_PLAN: code }: Config): Promise<void> {
  const plans = await tx.plan.findMany({ select: { code: true }, orderBy: { code: 'asc' } })
  if (plans.some((plan) => plan.code === code)) return
  throw new Error(
    `BERTH_DEFAULT_PLAN: there is no plan "${code}"; there are: ${plans.map((plan) => plan.code).join(', ')}. ` +
      'Set it to one of them, or add the plan to BERTH_PLANS_FILE. Berth does not start.',
  )
}

async function refuseUnknownAppTypes(tx: Transaction): Promise<void> {
  const known = appTypes().map(({ name }) => name)
  const [unknown] = await tx.app.findMany({
    where: { deletedAt: null, type: { notIn: known } },
    select: { type: true, name: true },
    take: 1,
  })
  if (!unknown) return
  throw new Error(
    `The app "${unknown.name}" has the type ${unknown.type}, which this version does not run; it runs ${known.join(', ')}. ` +
      'Berth does not start. Use the version that created the app, or delete the app there first.',
  )
}

async function createInstallation(tx: Transaction, vault: Vault, config: Config): Promise<string> {
  const id = newId('ins')
  await tx.installation.create({ data: { id, masterKeyId: vault.masterKeyId, keyCheck: vault.keyCheck() } })
  const region = { code: FIRST_REGION, name: 'This machine', functionsSupported: true, domain: config.BERTH_DOMAIN }
  await tx.region.create({ data: region })
  await tx.plan.create({
    data: {
      code: FIRST_PLAN,
      name: 'Standard',
      functionsIncluded: true,
      autoscalingIncluded: true,
      maxApps: 10_000,
      maxAppEnvs: 100,
      maxContainers: 100,
      maxZClouds: 8,
    },
  })
  const accountId = newId('acc')
  const account = { id: accountId, name: 'Default', slug: 'default', planCode: FIRST_PLAN }
  for (const chain of [INSTALLATION_EVENTS, accountId]) await beginAuditChain(tx, vault, chain)
  await tx.account.create({ data: { ...account, dataKey: vault.wrapNewKey(accountId), entitlements: ['SANDBOX'] } })
  const userId = newId('usr')
  await tx.user.create({
    data: {
      id: userId,
      email: 'admin@localhost',
      username: 'admin',
      isInstallationAdmin: true,
      currentAccountId: accountId,
    },
  })
  await tx.membership.create({ data: { accountId, userId, roles: ['ADMIN'] } })
  return id
}

/** The token that the installation's own file or setting holds. */
export const ADMIN_TOKEN_NAME = 'Installation admin token'

/**
 * The admin token is the current one from the file or BERTH_ADMIN_TOKEN; the previous one stops working, with the tokens
 * that were made with it.
 */
async function ensureAdminToken(tx: Transaction, adminToken: string): Promise<void> {
  const hash = hashOfSecret(adminToken)
  const name = ADMIN_TOKEN_NAME
  const admin = await tx.user.findFirstOrThrow({ where: { isInstallationAdmin: true }, orderBy: { createdAt: 'asc' } })
  await revokeTokens(
    tx,
    Prisma.sql`user_id = ${admin.id} AND name = ${name} AND hash <> ${hash} AND revoked_at IS NULL`,
  )
  await tx.token.upsert({
    where: { hash },
    create: { id: newId('tok'), kind: 'USER', name, hash, userId: admin.id },
    update: { revokedAt: null },
  })
}
