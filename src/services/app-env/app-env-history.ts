import type { Caller } from '../../calls/caller.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { inSnapshot } from '../../storage/database/snapshot.ts'
import { type RolledBack, rolledBack } from '../deployment/deployment-fields.ts'
import { observeAppEnv } from '../targets/get-app-env.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'
import { activity } from './activity-fields.ts'

export interface HistoryRequest {
  limit: number
  offset: number
  fromDate?: string | undefined
  toDate?: string | undefined
}

/** One of its two ids is set: a version that came into being, or an operation that scaled the one which served. */
interface ActivityRow {
  contentId: string
  operationId: string | null
}

/**
 * The history of an environment, newest first: its versions, each with whether it can be rolled back to and if not, why,
 * and each time the number of containers was changed, with the reason.
 */
export async function readAppEnvHistory(
  database: Database,
  caller: Caller,
  address: AppEnvAddress,
  request: HistoryRequest,
) {
  const { limit, offset } = request
  return inSnapshot(database, async (tx) => {
    const { id: appEnvId } = await observeAppEnv(tx, caller, address)
    const rows = await tx.$queryRaw<ActivityRow[]>`
      SELECT "contentId", "operationId" FROM (${newestOf(appEnvId, request)}) AS activity
      ORDER BY at DESC, "operationId" IS NULL, "operationId" DESC, "contentId" DESC LIMIT ${limit} OFFSET ${offset}`
    const total = await countOf(tx, appEnvId, request)
    const appEnv = await tx.appEnv.findUniqueOrThrow({ where: { id: appEnvId }, select: rolledBack })
    const activities = await describe(tx, rows, appEnv)
    return { appEnvId, activities, pagination: { limit, offset, total, hasMore: offset + rows.length < total } }
  })
}

function within({ fromDate, toDate }: HistoryRequest): Prisma.Sql {
  const from = fromDate ? Prisma.sql`AND created_at >= ${new Date(fromDate)}` : Prisma.empty
  const to = toDate ? Prisma.sql`AND created_at <= ${new Date(toDate)}` : Prisma.empty
  return Prisma.sql`${from} ${to}`
}

const scalings = (appEnvId: string, request: HistoryRequest) => Prisma.sql`
  o.app_env_id = ${appEnvId} AND o.kind = 'APPLY_CHANGES' AND o.content_id IS NULL ${within(request)}`

/** As many of each kind as a page can hold, by their indexes: a long history is not sorted for each page. */
function newestOf(appEnvId: string, request: HistoryRequest): Prisma.Sql {
  const most = request.offset + request.limit
  return Prisma.sql`
    (SELECT id AS "contentId", NULL AS "operationId", created_at AS at FROM content
      WHERE app_env_id = ${appEnvId} ${within(request)} ORDER BY created_at DESC, id DESC LIMIT ${most})
    UNION ALL
    (SELECT served.id, o.id, o.created_at FROM operation o CROSS JOIN LATERAL (
      SELECT c.id FROM content c WHERE c.app_env_id = o.app_env_id AND c.deployed_at <= o.created_at
      ORDER BY c.deployed_at DESC LIMIT 1) AS served
      WHERE ${scalings(appEnvId, request)} ORDER BY o.created_at DESC, o.id DESC LIMIT ${most})`
}

async function countOf(tx: Transaction, appEnvId: string, request: HistoryRequest): Promise<number> {
  const [counted] = await tx.$queryRaw<{ total: number }[]>`SELECT (
    (SELECT count(*) FROM content WHERE app_env_id = ${appEnvId} ${within(request)}) +
    (SELECT count(*) FROM operation o WHERE ${scalings(appEnvId, request)} AND EXISTS (
      SELECT 1 FROM content c WHERE c.app_env_id = o.app_env_id AND c.deployed_at <= o.created_at)))::int AS total`
  return counted?.total ?? 0
}

async function describe(tx: Transaction, rows: readonly ActivityRow[], appEnv: RolledBack) {
  const operationIds = rows.flatMap(({ operationId }) => operationId ?? [])
  const contents = await tx.content.findMany({ where: { id: { in: rows.map(({ contentId }) => contentId) } } })
  const operations = await tx.operation.findMany({ where: { id: { in: operationIds } } })
  const contentOf = new Map(contents.map((content) => [content.id, content]))
  const operationOf = new Map(operations.map((operation) => [operation.id, operation]))
  return rows.flatMap(({ contentId, operationId }) => {
    const content = contentOf.get(contentId)
    if (!content) return []
    const operation = operationOf.get(operationId ?? '') ?? null
    return [activity.answer.record({ content: { ...content, appEnv }, operation })]
  })
}
