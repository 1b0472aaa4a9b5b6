import { cancelJobRun } from '../../src/services/job-run/cancel-job-run.ts'
import { createJobRun } from '../../src/services/job-run/create-job-run.ts'
import { retryJobRun } from '../../src/services/job-run/retry-job-run.ts'
import { deleteJobSchedule, setJobSchedule } from '../../src/services/job-schedule/schedule-commands.ts'
import type { World } from '../support/world.ts'
import { type ParityCase, type Prepared, parityCase } from './parity-case.ts'

const cron = { cron: '*/5 * * * *', timeZone: 'Europe/Vienna' }

async function job(world: World, jobConfig: Record<string, unknown> = {}): Promise<string> {
  const app = { name: 'Import', port: undefined, dockerPreset: 'JOB', jobConfig: { command: 'import', ...jobConfig } }
  const { appEnvId } = await world.appEnv({ app })
  await world.deploy(appEnvId)
  return appEnvId
}

async function queued(world: World, jobConfig: Record<string, unknown> = {}) {
  const appEnvId = await job(world, jobConfig)
  const { jobRunId } = await world.perform(createJobRun, { appEnvId })
  return { appEnvId, jobRunId }
}

async function cancelled(world: World): Promise<string> {
  const { jobRunId } = await queued(world)
  await world.perform(cancelJobRun, { jobRunId })
  return jobRunId
}

const run = (
  title: string,
  expected: string,
  prepare: (world: World) => Promise<Omit<Prepared, 'command'>>,
): ParityCase =>
  parityCase(`createJobRun ${title}`, expected, async (world) => ({ command: createJobRun, ...(await prepare(world)) }))

const schedule = (title: string, expected: string, prepare: (world: World) => Promise<Omit<Prepared, 'command'>>) =>
  parityCase(`setJobSchedule ${title}`, expected, async (world) => ({
    command: setJobSchedule,
    ...(await prepare(world)),
  }))

export const jobCases = [
  run('of a job', 'accepted', async (world) => ({ input: { appEnvId: await job(world) } })),
  run('with fields of its own', 'accepted', async (world) => ({
    input: {
      appEnvId: await job(world),
      command: 'export',
      args: ['--all'],
      shell: false,
      workingDir: '/data',
      timeoutSeconds: 60,
      envVars: [{ name: 'DAY', value: 'today' }],
      stdin: 'rows',
    },
  })),
  run('by the environment’s own token', 'accepted', async (world) => {
    const appEnvId = await job(world)
    return { input: { appEnvId }, token: (await world.token({ kind: 'ENVIRONMENT', appEnvId })).token }
  }),
  run('by another environment’s token', 'FORBIDDEN OTHER_ENVIRONMENT', async (world) => {
    const { appEnvId } = await world.appEnv({ app: { name: 'Shop' } })
    return {
      input: { appEnvId: await job(world) },
      token: (await world.token({ kind: 'ENVIRONMENT', appEnvId })).token,
    }
  }),
  run('by BILLING', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    input: { appEnvId: await job(world) },
    token: (await world.user({ roles: ['BILLING'] })).token,
  })),
  run('of what was never deployed', 'CONFLICT NEVER_DEPLOYED', async (world) => {
    const { appEnvId } = await world.appEnv({ app: { name: 'Shop' } })
    return { input: { appEnvId, command: 'date' } }
  }),
  run('of an app, without a command', 'INVALID_INPUT', async (world) => {
    const { appEnvId } = await world.appEnv({ app: { name: 'Shop' } })
    await world.deploy(appEnvId)
    return { input: { appEnvId } }
  }),
  run('with too long a timeout', 'INVALID_INPUT', async (world) => ({
    input: { appEnvId: await job(world), timeoutSeconds: 604_801 },
  })),
  run('beyond the limit, under REJECT', 'CONFLICT CONCURRENCY_LIMIT', async (world) => ({
    input: { appEnvId: (await queued(world, { concurrencyPolicy: 'REJECT' })).appEnvId },
  })),
  run('beyond the limit, under REPLACE', 'accepted', async (world) => ({
    input: { appEnvId: (await queued(world, { concurrencyPolicy: 'REPLACE' })).appEnvId },
  })),
  parityCase('cancelJobRun of a run that waits', 'accepted', async (world) => ({
    command: cancelJobRun,
    input: { jobRunId: (await queued(world)).jobRunId },
  })),
  parityCase('cancelJobRun of a run that has ended', 'CONFLICT RUN_ENDED', async (world) => ({
    command: cancelJobRun,
    input: { jobRunId: await cancelled(world) },
  })),
  parityCase('cancelJobRun of an unknown run', 'NOT_FOUND', async () => ({
    command: cancelJobRun,
    input: { jobRunId: 'run_01kb3f8q4hevz9sr2m6x7d5t0c' },
  })),
  parityCase('retryJobRun of a run that has ended', 'accepted', async (world) => ({
    command: retryJobRun,
    input: { jobRunId: await cancelled(world) },
  })),
  parityCase('retryJobRun of a run that waits', 'CONFLICT RUN_NOT_ENDED', async (world) => ({
    command: retryJobRun,
    input: { jobRunId: (await queued(world)).jobRunId },
  })),
  schedule('of a job', 'accepted', async (world) => ({ input: { appEnvId: await job(world), ...cron, revision: 0 } })),
  schedule('with a stale revision', 'PRECONDITION_FAILED VERSION_MISMATCH', async (world) => {
    const appEnvId = await job(world)
    await world.perform(setJobSchedule, { appEnvId, ...cron })
    return { input: { appEnvId, ...cron, revision: 0 } }
  }),
  schedule('of no cron expression', 'INVALID_INPUT', async (world) => ({
    input: { appEnvId: await job(world), cron: 'often' },
  })),
  schedule('of an app', 'CONFLICT NO_RUNS', async (world) => ({
    input: { appEnvId: (await world.appEnv({ app: { name: 'Shop' } })).appEnvId, ...cron },
  })),
  schedule('by an environment token', 'FORBIDDEN USER_TOKEN_REQUIRED', async (world) => {
    const appEnvId = await job(world)
    return { input: { appEnvId, ...cron }, token: (await world.token({ kind: 'ENVIRONMENT', appEnvId })).token }
  }),
  parityCase('deleteJobSchedule', 'accepted', async (world) => {
    const appEnvId = await job(world)
    await world.perform(setJobSchedule, { appEnvId, ...cron })
    return { command: deleteJobSchedule, input: { appEnvId } }
  }),
  parityCase('deleteJobSchedule without one', 'NOT_FOUND', async (world) => ({
    command: deleteJobSchedule,
    input: { appEnvId: await job(world) },
  })),
]
