import type { Database, Transaction } from '../../database/client.ts'
import type { JobRun, JobRunStatus, JobRunTrigger } from '../../database/generated/prisma/client.ts'
import { notFound } from '../../domain/errors.ts'
import { ORDER } from '../../resources/order.ts'
import { type Caller, permit } from '../kernel/caller.ts'
import { collection } from '../kernel/collection.ts'
import type { Page, PageRequest } from '../kernel/page.ts'
import { findByKey, type Wanted, withColumns } from '../kernel/read.ts'
import { type AppEnvAddress, addressOf } from '../targets/load-app-env.ts'

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
export async function getJobRun(
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

/** The same with its position in the queue. */
export async function showJobRun(
  database: Database,
  caller: Caller,
  jobRunId: string,
  wanted: Wanted = {},
): Promise<Positioned> {
  const found = await getJobRun(database, caller, jobRunId, wanted)
  return { ...found, queuePosition: await queuePositionOf(database, found) }
}

export interface JobRunFilter extends AppEnvAddress {
  status?: JobRunStatus | undefined
  trigger?: JobRunTrigger | undefined
  contentId?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Runs of one environment. With that, their list is gone from every answer (contract §7). */
export const jobRuns = collection({
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
export async function listJobRuns(
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
