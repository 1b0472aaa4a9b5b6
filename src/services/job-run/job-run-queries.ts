import { accountOrCurrent, type Caller, permit, visibleAppEnvIds } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { oneOf, since, until, withId } from '../../calls/filters.ts'
import { appEnvFilter, id } from '../../calls/input.ts'
import type { Page, PageRequest } from '../../calls/page.ts'
import { listQuery, query } from '../../calls/query.ts'
import { findByKey, type Wanted, withColumns } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import type { JobRun } from '../../storage/database/generated/prisma/client.ts'
import { requireAccount } from '../targets/load-account.ts'
import { type AppEnvAddress, addressOf } from '../targets/load-app-env.ts'
import { jobRun, jobRunStatus, jobRunTrigger } from './job-run-fields.ts'

type Positioned = JobRun & { queuePosition: number | null }

/** Position in the queue of the environment, from 1; null for a run that does not wait. */
export async function queuePositionOf(
  database: Database | Transaction,
  { appEnvId, status, queueNumber }: Pick<JobRun, 'appEnvId' | 'status' | 'queueNumber'>,
): Promise<number | null> {
  if (status !== 'QUEUED') return null
  return database.jobRun.count({ where: { appEnvId, status: 'QUEUED', queueNumber: { lte: queueNumber } } })
}

/** One run. It is gone from every answer when its environment is (contract §7). */
export async function findJobRun(
  database: Database,
  caller: Caller,
  jobRunId: string,
  wanted: Wanted = {},
): Promise<JobRun> {
  const columns = withColumns(wanted, 'accountId', 'appEnvId', 'status', 'queueNumber')
  const found = await findByKey(database, 'JobRun', { ...columns, where: { id: jobRunId } })
  const of = found && { where: { id: found.appEnvId }, select: { deletedAt: true } }
  if (!found || !of || (await findByKey(database, 'AppEnv', of))?.deletedAt !== null)
    throw notFound('job run', jobRunId)
  permit(caller, 'jobRun:read', { accountId: found.accountId, appEnvId: found.appEnvId })
  return found
}

export interface JobRunFilter extends AppEnvAddress {
  accountId?: string | undefined
}

/** Runs of one environment, or of an account. With an environment, its runs are gone from every answer (contract §7). */
const jobRuns = collection({
  model: 'JobRun',
  filters: {
    status: oneOf('status', jobRunStatus, 'Progress: only runs with one of these.'),
    trigger: oneOf('trigger', jobRunTrigger, 'Triggers: only runs that were started by one of these.'),
    contentId: withId('contentId', 'version of the runs'),
    from: since('queuedAt', 'Earliest time of the runs.'),
    to: until('queuedAt', 'Latest time of the runs.'),
  },
  async scope(database, caller, { accountId, appEnvId, envName }: JobRunFilter) {
    if (appEnvId === undefined && envName === undefined) {
      const account = await requireAccount(database, caller, accountOrCurrent(caller, accountId))
      permit(caller, 'jobRun:read', { accountId: account })
      const visible = visibleAppEnvIds(caller, account)
      const appEnv = { appEnv: { deletedAt: null } }
      return { accountId: account, ...appEnv, ...(visible ? { appEnvId: { in: [...visible] } } : {}) }
    }
    const where = addressOf({ appEnvId, envName })
    const appEnv = await database.appEnv.findFirst({ where: { ...where, deletedAt: null } })
    if (!appEnv) throw notFound('app environment', String(Object.values(where)[0]))
    permit(caller, 'jobRun:read', { accountId: appEnv.accountId, appEnvId: appEnv.id })
    return { appEnvId: appEnv.id }
  },
})

/** A page of them, with their positions in the queue, which is counted once. */
async function listPositioned(
  database: Database,
  caller: Caller,
  filter: JobRunFilter,
  request: PageRequest,
  wanted: Wanted = {},
): Promise<Page<Positioned>> {
  const columns = withColumns(wanted, 'appEnvId', 'status', 'queueNumber')
  const page = await jobRuns.list(database, caller, filter, request, columns)
  const waiting = page.rows.filter(({ status }) => status === 'QUEUED')
  const positions = await positionsOf(database, new Set(waiting.map(({ appEnvId }) => appEnvId)))
  return { ...page, rows: page.rows.map((row) => ({ ...row, queuePosition: positions.get(row.id) ?? null })) }
}

async function positionsOf(database: Database, appEnvIds: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  if (appEnvIds.size === 0) return new Map()
  const rows = await database.$queryRaw<{ id: string; position: number }[]>`
    SELECT id, (row_number() OVER (PARTITION BY app_env_id ORDER BY queue_number))::int AS position
    FROM job_run WHERE app_env_id = ANY(${[...appEnvIds]}) AND status = 'QUEUED'`
  return new Map(rows.map(({ id, position }) => [id, position]))
}

export const getJobRun = query({
  name: 'getJobRun',
  path: '/app-env/job-run',
  permission: 'jobRun:read',
  about:
    'A job run: what it executes, its attempts, how it ended and what it left. The logs have its output, by jobRunId.',
  input: { jobRunId: id('job run') },
  key: { field: 'jobRunId', prefix: 'run' },
  of: jobRun,
  version: true,
  find: ({ database, caller }, { jobRunId }, wanted) => findJobRun(database, caller, jobRunId, wanted),
  complete: async ({ database }, run) => ({ ...run, queuePosition: await queuePositionOf(database, run) }),
})

export const listJobRuns = listQuery({
  name: 'listJobRuns',
  path: '/app-env/job-runs',
  permission: 'jobRun:read',
  about: 'The job runs of an environment, or of an account; of your current account when none is named.',
  example: { request: { status: ['FAILED'], limit: 20 } },
  input: { ...appEnvFilter, accountId: id('account').optional() },
  of: jobRun,
  from: jobRuns,
  list: ({ database, caller }, filter, page, wanted) => listPositioned(database, caller, filter, page, wanted),
})
