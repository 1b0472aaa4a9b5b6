import { z } from 'zod'
import { type Caller, permit } from '../../calls/caller.ts'
import { collection } from '../../calls/collection.ts'
import { appEnvTarget, id, instant } from '../../calls/input.ts'
import { ORDER } from '../../calls/order.ts'
import type { Page, PageRequest } from '../../calls/page.ts'
import { listQuery, query } from '../../calls/query.ts'
import { findByKey, type Wanted, withColumns } from '../../calls/read.ts'
import { notFound } from '../../domain/errors.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import type { JobRun, JobRunStatus, JobRunTrigger } from '../../storage/database/generated/prisma/client.ts'
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
  status?: JobRunStatus | undefined
  trigger?: JobRunTrigger | undefined
  contentId?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Runs of one environment. With that, their list is gone from every answer (contract §7). */
const jobRuns = collection({
  model: 'JobRun',
  orderBy: ORDER.jobRun,
  async scope(database, caller, { status, trigger, contentId, from, to, ...address }: JobRunFilter) {
    const where = addressOf(address)
    const appEnv = await database.appEnv.findFirst({ where: { ...where, deletedAt: null } })
    if (!appEnv) throw notFound('app environment', String(Object.values(where)[0]))
    permit(caller, 'jobRun:read', { accountId: appEnv.accountId, appEnvId: appEnv.id })
    const queuedAt = { ...(from ? { gte: from } : {}), ...(to ? { lte: to } : {}) }
    return {
      appEnvId: appEnv.id,
      ...(status ? { status } : {}),
      ...(trigger ? { trigger } : {}),
      ...(contentId ? { contentId } : {}),
      ...(from || to ? { queuedAt } : {}),
    }
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
  const positions = await positionsOf(database, waiting[0]?.appEnvId)
  return { ...page, rows: page.rows.map((row) => ({ ...row, queuePosition: positions.get(row.id) ?? null })) }
}

async function positionsOf(database: Database, appEnvId: string | undefined): Promise<ReadonlyMap<string, number>> {
  if (appEnvId === undefined) return new Map()
  const rows = await database.$queryRaw<{ id: string; position: number }[]>`
    SELECT id, (row_number() OVER (ORDER BY queue_number))::int AS position
    FROM job_run WHERE app_env_id = ${appEnvId} AND status = 'QUEUED'`
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
  about: 'The job runs of an environment, newest first.',
  example: { request: { status: 'FAILED', limit: 20 } },
  input: {
    ...appEnvTarget,
    status: jobRunStatus.type.optional().describe('Progress: only runs with that status.'),
    trigger: jobRunTrigger.type.optional().describe('Trigger: only runs that were started so.'),
    contentId: z.string().min(1).max(100).optional().describe('Id of a version: only runs of that version.'),
    from: instant('Earliest time at which the runs were requested.').optional(),
    to: instant('Latest time at which the runs were requested.').optional(),
  },
  of: jobRun,
  from: jobRuns,
  list: ({ database, caller }, filter, page, wanted) => listPositioned(database, caller, filter, page, wanted),
})
