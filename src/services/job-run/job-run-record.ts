import type { CommandResult } from '../../calls/command.ts'
import type { Database, Transaction } from '../../storage/database/client.ts'
import type { JobRun } from '../../storage/database/generated/prisma/client.ts'
import { jobRun } from './job-run-fields.ts'
import { queuePositionOf } from './job-run-queries.ts'

/** The run as both APIs answer it. */
export async function jobRunRecord({ tx }: { tx: Transaction | Database }, { id }: Pick<JobRun, 'id'>) {
  const row = await tx.jobRun.findUniqueOrThrow({
    where: { id },
    include: { attempts: { orderBy: { number: 'asc' } } },
  })
  const queuePosition = await queuePositionOf(tx, row)
  return { ...jobRun.answer.record({ ...row, queuePosition }), recordVersion: row.version }
}

export type JobRunResult = CommandResult & Awaited<ReturnType<typeof jobRunRecord>>
