import { count, whole } from './setting-types.ts'

/** Settings of job runs. */
export const JOB_SETTINGS = {
  BERTH_JOB_QUEUE: count(5000, 1_000_000).describe('Maximum number of job runs per environment that wait or run.'),
  BERTH_JOB_RUN_DAYS: count(90, 3650).describe('How long the record of a job run is kept once it has ended.'),
  BERTH_JOB_RUNS: count(200, 10_000).describe('Maximum number of job runs that one worker watches at a time.'),
  BERTH_JOB_NETWORKS: whole(8, 0, 1000).describe(
    'Network connections that a worker keeps ready for job runs, so that their containers start sooner. Each is an idle container of a few MB, for ten minutes. 0: none.',
  ),
}
