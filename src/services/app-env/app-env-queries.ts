import type { Database, Transaction } from '../../database/client.ts'
import type { AppEnv, Prisma } from '../../database/generated/prisma/client.ts'
import { inSnapshot } from '../../database/snapshot.ts'
import { notFound } from '../../domain/errors.ts'
import { record } from '../../events/record.ts'
import type { Vault } from '../../secrets/vault.ts'
import { requireAccount } from '../account/account-queries.ts'
import { getApp } from '../app/app-queries.ts'
import { accountOrCurrent, type Caller, permit, visibleAppEnvIds } from '../kernel/caller.ts'
import { type Page, type PageRequest, page } from '../kernel/page.ts'
import { type AppEnvAddress, addressOf, withEverything } from '../targets/load-app-env.ts'
import { appEnvRecord } from './app-env-record.ts'

/** The environments that a caller may see in one account: the scope of every list of them, in both doors. */
export function visibleAppEnvs(caller: Caller, accountId: string): Prisma.AppEnvWhereInput {
  const visible = visibleAppEnvIds(caller, accountId)
  return { accountId, deletedAt: null, ...(visible ? { id: { in: [...visible] } } : {}) }
}

export async function appEnvsScope(
  database: Database,
  caller: Caller,
  { accountId, appId }: { accountId?: string | null | undefined; appId?: string | null | undefined },
): Promise<Prisma.AppEnvWhereInput> {
  const app = appId ? await getApp(database, caller, appId) : null
  const account = await requireAccount(database, caller, accountId ?? app?.accountId ?? accountOrCurrent(caller, null))
  permit(caller, 'appEnv:read', { accountId: account })
  return { ...visibleAppEnvs(caller, account), ...(app ? { appId: app.id } : {}) }
}

export async function listAppEnvs(
  database: Database,
  caller: Caller,
  filter: { accountId?: string | undefined; appId?: string | undefined },
  request: PageRequest,
): Promise<Page<Prisma.AppEnvGetPayload<{ include: { hosts: true } }>>> {
  const where = await appEnvsScope(database, caller, filter)
  return page(request, ({ take, after, orderBy }) =>
    database.appEnv.findMany({
      where: { AND: [where, after] },
      take,
      orderBy,
      include: { hosts: { orderBy: { id: 'asc' } } },
    }),
  )
}

/** Finds the environment and checks that the caller may read it. `query` is what GraphQL loads along with it. */
export async function getAppEnv(
  database: Database | Transaction,
  caller: Caller,
  address: AppEnvAddress,
  query: object = {},
): Promise<AppEnv> {
  const where = addressOf(address)
  const appEnv = await database.appEnv.findFirst({ ...query, where: { ...where, deletedAt: null } })
  if (!appEnv) throw notFound('app environment', String(Object.values(where)[0]))
  // GraphQL may have selected fewer columns than the decision needs.
  const { id, accountId } =
    'accountId' in appEnv ? appEnv : await database.appEnv.findFirstOrThrow({ where: { ...where, deletedAt: null } })
  permit(caller, 'appEnv:read', { accountId, appEnvId: id })
  return appEnv
}

export async function loadAppEnv(tx: Transaction, caller: Caller, address: AppEnvAddress) {
  const { id } = await getAppEnv(tx, caller, address)
  return tx.appEnv.findUniqueOrThrow({ where: { id }, include: withEverything })
}

/** The record of GET /app-env. `decrypt` shows secrets, to those who may, and leaves an audit entry. */
export async function readAppEnvRecord(
  { database, vault }: { database: Database; vault: Vault },
  caller: Caller,
  address: AppEnvAddress,
  { decrypt, requestId }: { decrypt: boolean; requestId: string },
) {
  const { appEnv, record } = await inSnapshot(database, async (tx) => {
    const appEnv = await loadAppEnv(tx, caller, address)
    if (decrypt) permit(caller, 'variable:reveal', { accountId: appEnv.accountId, appEnvId: appEnv.id })
    return { appEnv, record: await appEnvRecord(tx, vault, appEnv, decrypt) }
  })
  if (decrypt) await auditReveal(database, caller, appEnv, requestId)
  return { record, version: appEnv.version }
}

/** The variables of GET /app-env/variables; `showSecrets` is for those who may, and leaves an audit entry. */
export async function readVariables(
  { database, vault }: { database: Database; vault: Vault },
  caller: Caller,
  address: AppEnvAddress,
  { showSecrets, requestId }: { showSecrets: boolean; requestId: string },
) {
  const { record, version } = await readAppEnvRecord({ database, vault }, caller, address, {
    decrypt: showSecrets,
    requestId,
  })
  return { variables: record.envVars, version }
}

/** Written before anything is shown: a reveal that cannot be recorded does not happen. */
const auditReveal = (
  database: Database,
  caller: Caller,
  appEnv: { id: string; accountId: string },
  requestId: string,
) =>
  database.$transaction((tx) =>
    record(tx, appEnv.accountId, [], {
      action: 'revealVariables',
      actorType: 'USER',
      actorId: caller.userId,
      tokenId: caller.tokenId,
      targetType: 'appEnv',
      targetId: appEnv.id,
      requestId,
      details: {},
    }),
  )
