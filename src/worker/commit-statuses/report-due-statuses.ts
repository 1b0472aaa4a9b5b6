import { inParallel } from '../../engines/runtime/in-parallel.ts'
import { claimStatuses, recordAttempt } from './commit-status-table.ts'
import { reportStatus, type StatusContext } from './report-status.ts'

const AT_ONCE = 8

/**
 * Reports the status of deployed commits to git hosts. It compares the reported status with the present one, so that
 * a worker that dies costs a repetition, and no deployment ever waits for it. Returns whether more may be due at once.
 */
export async function reportDueStatuses(context: StatusContext): Promise<boolean> {
  const due = await claimStatuses(context.database, AT_ONCE)
  await inParallel(due, AT_ONCE, async (claimed) => {
    const outcome = await reportStatus(context, claimed)
    if (outcome) await recordAttempt(context.database, claimed, outcome)
  })
  return due.length === AT_ONCE
}
