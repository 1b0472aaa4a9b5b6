import { type Caller, permit, visibleAppEnvIds } from '../../calls/caller.ts'
import { findByKey } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import { parseImageReference } from '../../domain/image-reference.ts'
import { registryOfLogin } from '../../domain/registry-login.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import type { CredentialUsage } from './credential-fields.ts'

/** Limit per kind of usage. */
const MAX_ROWS = 100
/** Environments of which a read asks what they use. Before a deletion all are asked. */
const MAX_COMPARED = 1_000
export const ALL_COMPARED = 10_000_000

type Used = Pick<Transaction, '$queryRaw' | 'app'>

/** Whatever would miss the credential, as the caller may see it. */
export async function findCredentialUsages(database: Database, caller: Caller, credentialId: string) {
  const select = { accountId: true, defaultFor: true }
  const found = await findByKey(database, 'Credential', { where: { id: credentialId }, select })
  if (!found) throw notFound('credential', credentialId)
  permit(caller, 'account:read', { accountId: found.accountId })
  const visible = visibleAppEnvIds(caller, found.accountId)
  const usages = await usagesOf(database, { ...found, id: credentialId, compared: MAX_COMPARED })
  return usages.filter(({ appEnvId }) => visible === null || appEnvId === null || visible.has(appEnvId))
}

interface Credential {
  id: string
  accountId: string
  defaultFor: string | null
  /** Environments that are asked at most, the newest. */
  compared: number
}

export async function usagesOf(tx: Used, credential: Credential): Promise<CredentialUsage[]> {
  return [
    ...(await appsWith(tx, credential)),
    ...(await versionsWith(tx, credential)),
    ...(await byDefault(tx, credential)),
    ...(await schedulesWith(tx, credential)),
    ...(await storedWith(tx, credential)),
  ]
}

async function appsWith(tx: Used, { id, accountId }: Credential): Promise<CredentialUsage[]> {
  const wanted = {
    where: { accountId, deletedAt: null },
    select: { id: true, name: true },
    orderBy: { id: 'asc' },
    take: MAX_ROWS,
  } as const
  const pulling = await tx.app.findMany({ ...wanted, where: { ...wanted.where, imagePullAccountSecretId: id } })
  const building = await tx.app.findMany({ ...wanted, where: { ...wanted.where, buildPullAccountSecretId: id } })
  const usage = (kind: 'IMAGE_PULL' | 'BUILD_PULL') => (app: { id: string; name: string }) => ({
    kind,
    appId: app.id,
    appEnvId: null,
    name: app.name,
    count: 1,
  })
  return [...pulling.map(usage('IMAGE_PULL')), ...building.map(usage('BUILD_PULL'))]
}

/** The newest environments of the account, of which there may be many: no index leads to what they use. */
const newest = ({ accountId, compared }: Credential) => Prisma.sql`
  (SELECT * FROM app_env WHERE account_id = ${accountId} AND deleted_at IS NULL ORDER BY id DESC LIMIT ${compared}) e`

/** What runs was pulled with it, and may have to be again on another machine. */
const versionsWith = (tx: Used, credential: Credential) => tx.$queryRaw<CredentialUsage[]>`
  SELECT 'VERSION' AS kind, e.app_id AS "appId", e.id AS "appEnvId", e.cli_env_name AS name, 1 AS count
  FROM ${newest(credential)} JOIN content c ON c.id = e.current_content_id
  WHERE c.configuration->>'imagePullCredentialId' = ${credential.id} ORDER BY e.id LIMIT ${MAX_ROWS}`

/** Environments that run an image of the registry, and whose app names no credential for it. */
async function byDefault(tx: Used, credential: Credential): Promise<CredentialUsage[]> {
  const { defaultFor } = credential
  if (defaultFor === null) return []
  const running = await tx.$queryRaw<
    (CredentialUsage & { image: string; isNamed: boolean; namedRegistry: string | null })[]
  >`
    SELECT 'DEFAULT' AS kind, e.app_id AS "appId", e.id AS "appEnvId", e.cli_env_name AS name, 1 AS count, c.image,
      n.id IS NOT NULL AS "isNamed", n.public_data->>'registry' AS "namedRegistry"
    FROM ${newest(credential)} JOIN content c ON c.id = e.current_content_id JOIN app a ON a.id = e.app_id
    LEFT JOIN credential n ON n.id = a.image_pull_account_secret_id
    WHERE c.type = 'IMAGE_FROM' ORDER BY e.id`
  return running
    .filter(({ image }) => registryOf(image) === defaultFor)
    .filter(({ isNamed, namedRegistry }) => !isNamed || registryOfLogin(namedRegistry ?? undefined) !== defaultFor)
    .slice(0, MAX_ROWS)
    .map(({ image: _image, isNamed: _isNamed, namedRegistry: _registry, ...usage }) => usage)
}

function registryOf(image: string): string | null {
  const parsed = parseImageReference(image)
  return 'reference' in parsed ? parsed.reference.registry : null
}

const schedulesWith = (tx: Used, credential: Credential) => tx.$queryRaw<CredentialUsage[]>`
  SELECT 'BACKUP_SCHEDULE' AS kind, e.app_id AS "appId", e.id AS "appEnvId", e.cli_env_name AS name, 1 AS count
  FROM ${newest(credential)} WHERE e.backup_schedule->>'storage' = ${credential.id} ORDER BY e.id LIMIT ${MAX_ROWS}`

/** Berth can neither restore nor delete what is in a storage that it has no login for. */
const storedWith = (tx: Used, { id, accountId }: Credential) => tx.$queryRaw<CredentialUsage[]>`
  SELECT 'BACKUP' AS kind, NULL AS "appId", app_env_id AS "appEnvId", max(cli_env_name) AS name, count(*)::int AS count
  FROM backup WHERE account_id = ${accountId} AND storage_credential_id = ${id}
  GROUP BY app_env_id ORDER BY app_env_id LIMIT ${MAX_ROWS}`
