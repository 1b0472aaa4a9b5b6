import type { Database } from '../../database/client.ts'
import type { Prisma, Volume } from '../../database/generated/prisma/client.ts'
import { requireAccount } from '../account/account-queries.ts'
import { accountOrCurrent, type Caller, permit, visibleAppEnvIds } from '../kernel/caller.ts'
import { type Page, type PageRequest, page } from '../kernel/page.ts'

/** The volumes that a caller may see in one account: those of the environments that it may see, gone or not. */
export async function volumesScope(
  database: Database,
  caller: Caller,
  accountId: string | null | undefined,
): Promise<Prisma.VolumeWhereInput> {
  const owner = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
  permit(caller, 'appEnv:read', { accountId: owner })
  const visible = visibleAppEnvIds(caller, owner)
  return { accountId: owner, deletedAt: null, ...(visible ? { appEnvId: { in: [...visible] } } : {}) }
}

export async function listVolumes(
  database: Database,
  caller: Caller,
  accountId: string | undefined,
  request: PageRequest,
): Promise<Page<Volume & { appEnv: { id: string } | null }>> {
  const where = await volumesScope(database, caller, accountId)
  return page(request, ({ take, after, orderBy }) =>
    database.volume.findMany({
      where: { AND: [where, after] },
      take,
      orderBy,
      include: { appEnv: { select: { id: true } } },
    }),
  )
}
