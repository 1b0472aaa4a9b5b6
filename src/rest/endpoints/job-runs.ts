import { z } from 'zod'
import { jobRun, jobRunStatus, jobRunTrigger } from '../../resources/job-run.ts'
import { jobSchedule } from '../../resources/job-schedule.ts'
import { appEnvTarget, id, instant } from '../../services/kernel/input.ts'
import { getList, getOne } from '../protocol/resource-reads.ts'
import { read, Versioned } from '../protocol/route.ts'

export const getJobRun = getOne({
  name: 'getJobRun',
  permission: 'jobRun:read',
  about: 'A job run: what it executes, its attempts, how it ended and what it left. GET /logs has its output.',
  query: { jobRunId: id('job run') },
  answer: jobRun.answer,
  isVersioned: true,
  find: ({ services, caller }, { jobRunId }, wanted) => services.jobRuns.show(caller, jobRunId, wanted),
})

export const listJobRuns = getList({
  name: 'listJobRuns',
  permission: 'jobRun:read',
  about: 'The job runs of an environment, newest first.',
  query: {
    ...appEnvTarget,
    status: jobRunStatus.type.optional().describe('Progress: only runs with that status.'),
    trigger: jobRunTrigger.type.optional().describe('Trigger: only runs that were started so.'),
    contentId: z.string().min(1).max(100).optional().describe('Id of a version: only runs of that version.'),
    from: instant('Earliest time at which the runs were requested.').optional(),
    to: instant('Latest time at which the runs were requested.').optional(),
  },
  items: 'jobRuns',
  answer: jobRun.answer,
  find: ({ services, caller }, filter, page, wanted) => services.jobRuns.list(caller, filter, page, wanted),
})

export const getJobSchedule = read({
  name: 'getJobSchedule',
  permission: 'jobRun:read',
  about: 'The schedule on which runs of a job start by themselves, with its next five times.',
  query: z.strictObject(appEnvTarget),
  answer: jobSchedule.answer.type,
  isSingle: true,
  async run({ services, caller }, address) {
    const schedule = await services.jobSchedules.get(caller, address)
    return new Versioned(schedule, schedule.revision)
  },
})
