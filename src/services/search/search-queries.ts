import { z } from 'zod'
import { accountOrCurrent, type Caller, permit, visibleAppEnvIds } from '../../calls/caller.ts'
import { exampleId } from '../../calls/examples.ts'
import { anywhere, containing } from '../../calls/filters.ts'
import { id } from '../../calls/input.ts'
import { wholeListQuery } from '../../calls/query.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { visibleBelow } from '../app-env/app-env-queries.ts'
import { requireAccount } from '../targets/load-account.ts'
import { type Found, searchResult } from './search-fields.ts'

const NEWEST = { id: 'desc' } as const

/** Apps and environments that a text is compared with. */
const COMPARED = 10_000

/** Fewer characters of a commit would name many. */
const COMMIT = /^[0-9a-f]{4,64}$/i

/** A range, which every collation keeps an index of: no hexadecimal digit comes after f. */
const beginningWith = (commit: string) => ({ gte: commit, lt: `${commit}g` })

const text = containing('name', 'Text to find: a part of a name in any case, or the beginning of a git commit.')

interface Search {
  accountId?: string | undefined
  text: string
  limit: number
}

interface Named {
  id: string
  name: string
  appId: string
}

/**
 * Among the newest apps of the account: no index has parts of names, so that what is compared is bounded.
 */
const findApps = (database: Database, accountId: string, text: string, limit: number) =>
  database.$queryRaw<Named[]>`
    SELECT id, name, id AS "appId" FROM (
      SELECT id, name FROM app WHERE account_id = ${accountId} AND deleted_at IS NULL ORDER BY id DESC LIMIT ${COMPARED}
    ) AS newest WHERE name ILIKE ${text} ORDER BY id DESC LIMIT ${limit}`

/** The same of environments, by their name or CLI name. */
const findAppEnvs = (database: Database, accountId: string, visible: string[] | null, text: string, limit: number) =>
  database.$queryRaw<Named[]>`
    SELECT id, cli_env_name AS name, app_id AS "appId" FROM (
      SELECT id, name, cli_env_name, app_id FROM app_env
      WHERE account_id = ${accountId} AND deleted_at IS NULL AND (${visible === null} OR id = ANY(${visible ?? []}))
      ORDER BY id DESC LIMIT ${COMPARED}
    ) AS newest WHERE name ILIKE ${text} OR cli_env_name ILIKE ${text} ORDER BY id DESC LIMIT ${limit}`

/** Apps, environments and hosts by a part of their name, and versions by their commit: the newest of each kind. */
async function search(database: Database, caller: Caller, { accountId: asked, text: given, limit }: Search) {
  const accountId = await requireAccount(database, caller, accountOrCurrent(caller, asked))
  permit(caller, 'app:read', { accountId })
  permit(caller, 'appEnv:read', { accountId })
  const page = { orderBy: NEWEST, take: limit }
  const visible = visibleAppEnvIds(caller, accountId)
  const appEnv: Prisma.AppEnvWhereInput = { accountId, ...visibleBelow(caller) }
  const include = { appEnv: { select: { appId: true } } }
  const [apps, appEnvs, hosts, contents] = await Promise.all([
    findApps(database, accountId, anywhere(given), limit),
    findAppEnvs(database, accountId, visible && [...visible], anywhere(given), limit),
    database.host.findMany({ ...page, where: { appEnv, ...containing('host', '').where(given) }, include }),
    COMMIT.test(given)
      ? database.content.findMany({
          ...page,
          where: { accountId, gitCommitId: beginningWith(given.toLowerCase()), appEnv },
          include,
        })
      : [],
  ])
  const found: Found[] = [
    ...apps.map(({ id, name }) => ({ kind: 'APP' as const, id, name, appId: id, appEnvId: null })),
    ...appEnvs.map((one) => ({ ...one, kind: 'APP_ENV' as const, appEnvId: one.id })),
    ...hosts.map(({ id, host, appEnvId, appEnv }) => ({
      kind: 'HOST' as const,
      id,
      name: host,
      appId: appEnv.appId,
      appEnvId,
    })),
    ...contents.map(({ id, gitCommitId, appEnvId, appEnv }) => ({
      kind: 'DEPLOYMENT' as const,
      id,
      name: gitCommitId ?? '',
      appId: appEnv.appId,
      appEnvId,
    })),
  ]
  return found.map((one) => searchResult.answer.record(one))
}

export const searchAccount = wholeListQuery({
  name: 'searchAccount',
  path: '/account/search',
  permission: 'appEnv:read',
  about:
    'Apps, environments, hosts and versions of an account, by a part of a name or by a git commit: the newest of each kind.',
  example: { request: { accountId: exampleId('acc'), text: 'shop' } },
  input: {
    accountId: id('account').optional(),
    text: text.type.unwrap().describe(text.type.description ?? ''),
    limit: z.int().min(1).max(50).default(10).describe('Maximum number of items of each kind.'),
  },
  inGraphQL: 'search',
  of: searchResult,
  isRecord: true,
  items: 'results',
  itemsAbout: 'What was found: apps, environments, hosts, versions.',
  all: ({ database, caller }, input) => search(database, caller, input),
})
