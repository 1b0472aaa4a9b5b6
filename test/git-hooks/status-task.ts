import { reportDueStatuses, type StatusContext } from '../../src/worker/commit-statuses/report-status.ts'
import { PeriodicTasks } from '../../src/worker/periodic/periodic-tasks.ts'

/** What a worker does of its periodic tasks for the statuses of commits. */
export const statusTask = (context: StatusContext): PeriodicTasks => {
  const run = () => reportDueStatuses(context)
  return new PeriodicTasks([{ name: 'commit-statuses', everySeconds: 5, firstAfterSeconds: 0, run }], context.log)
}
