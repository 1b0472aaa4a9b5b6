import type { Database } from '../../database/client.ts'
import type { Content } from '../../database/generated/prisma/client.ts'
import { invalidField, notFound } from '../../domain/errors.ts'
import type { AppEnvAddress } from '../app-env/load-app-env.ts'
import { getAppEnv } from '../app-env/read-app-envs.ts'
import type { Caller } from '../caller.ts'
import { DEFAULT_LIMIT, type PageRequest } from '../page.ts'
import { getDeployment } from './read-deployments.ts'

/** The last lines of a build are written before its version is deployed, and a little after its image is there. */
const UNENDED: readonly Content['status'][] = ['QUEUED', 'BUILDING', 'BUILT']

export interface BuildLogAddress extends AppEnvAddress {
  contentId?: string | undefined
}

/** What a build printed, oldest first: of the version named, or of the environment's newest that is built. */
export async function readBuildLog(
  database: Database,
  caller: Caller,
  { contentId, ...address }: BuildLogAddress,
  { limit = DEFAULT_LIMIT, cursor, search }: PageRequest & { search?: string | undefined },
) {
  const content = contentId
    ? await getDeployment(database, caller, contentId)
    : await newestBuild(database, (await getAppEnv(database, caller, address)).id)
  const after = cursor === undefined ? 0 : sequenceOf(cursor)
  const lines = await database.buildLogLine.findMany({
    where: {
      contentId: content.id,
      sequence: { gt: after },
      ...(search ? { message: { contains: search, mode: 'insensitive' } } : {}),
    },
    orderBy: { sequence: 'asc' },
    take: limit,
  })
  const last = lines.at(-1)?.sequence ?? after
  const hasEnded = !UNENDED.includes(content.status)
  const isLast = hasEnded && lines.length < limit
  return { contentId: content.id, lines, hasEnded, nextCursor: isLast ? null : String(last) }
}

async function newestBuild(database: Database, appEnvId: string): Promise<Content> {
  const newest = await database.content.findFirst({ where: { appEnvId, type: 'BUILD' }, orderBy: { version: 'desc' } })
  if (newest) return newest
  throw notFound('build in the app environment', appEnvId)
}

function sequenceOf(cursor: string): number {
  if (!/^\d{1,9}$/.test(cursor)) throw invalidField('cursor', 'must be the nextCursor of an earlier answer')
  return Number(cursor)
}
