import type { Database } from '../../database/client.ts'
import type { Content, Prisma } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import { getAppEnv } from '../app-env/app-env-queries.ts'
import { type Caller, permit } from '../kernel/caller.ts'
import type { AppEnvAddress } from '../targets/load-app-env.ts'

/** One version. It is gone from every answer when its environment is. `query` is what GraphQL loads along with it. */
export async function getDeployment(
  database: Database,
  caller: Caller,
  contentId: string,
  query: object = {},
): Promise<Content> {
  const content = await database.content.findFirst({ ...query, where: { id: contentId, appEnv: { deletedAt: null } } })
  if (!content) throw notFound('deployment', contentId)
  const { accountId, appEnvId } =
    'accountId' in content && 'appEnvId' in content
      ? content
      : await database.content.findUniqueOrThrow({ where: { id: contentId } })
  permit(caller, 'appEnv:read', { accountId, appEnvId })
  return content
}

export interface AskedBetween {
  fromDate?: Date | null | undefined
  toDate?: Date | null | undefined
}

/** The versions of one environment; with a range, those that were asked for in it. */
export async function deploymentsScope(
  database: Database,
  caller: Caller,
  address: AppEnvAddress,
  { fromDate, toDate }: AskedBetween = {},
): Promise<Prisma.ContentWhereInput> {
  const { id } = await getAppEnv(database, caller, address)
  return { appEnvId: id, createdAt: { ...(fromDate ? { gte: fromDate } : {}), ...(toDate ? { lte: toDate } : {}) } }
}
