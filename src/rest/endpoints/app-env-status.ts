import { z } from 'zod'
import { appEnvTarget, instant } from '../../services/kernel/input.ts'
import { read } from '../protocol/route.ts'
import { appEnvStatus } from './app-envs.ts'

const CONTENT_STATUSES = [
  'QUEUED',
  'BUILDING',
  'BUILT',
  'DEPLOYING',
  'DEPLOYED',
  'JOB_READY',
  'FAILED',
  'CANCELLED',
] as const

const contentStatus = z.enum(CONTENT_STATUSES).describe('How far the version came.')
const text = (about: string) => z.string().nullable().describe(about)

/** What status and history both tell about a version. */
const shared = {
  contentId: z.string().describe('Id of the version.'),
  version: z.int().describe('Its number.'),
  status: contentStatus,
  reason: text('Why it failed or was cancelled, as a code.'),
  message: text('The same, in words.'),
  gitBranch: text('Branch it was built from.'),
  gitCommitId: text('Commit it was built from.'),
  containerImage: z.string().describe('Its image, as it was asked for.'),
}

const deployment = z
  .object({
    ...shared,
    statusLabel: z.string().describe('The status, for people.'),
    isSuccess: z.boolean().describe('Whether it was deployed.'),
    isFailed: z.boolean().describe('Whether it failed.'),
    deployedAt: z.iso.datetime().nullable().describe('When it began to serve.'),
    imageDigest: text('The image that it is pinned to.'),
    imageFromCache: z.boolean().describe('Whether the engine’s own copy was taken, because no registry answered.'),
    type: z.enum(['BUILD', 'IMAGE_FROM']).describe('Built from source, or a prebuilt image.'),
  })
  .meta({ id: 'Deployment', description: 'A version of an environment.' })

const change = z.object({ kind: z.string(), field: z.string(), from: z.unknown(), to: z.unknown() })

const pendingChanges = z.object({
  hasBuildChanges: z.boolean().describe('Something must be built.'),
  hasDeployChanges: z.boolean().describe('Containers must be replaced.'),
  hasScaleChanges: z.boolean().describe('Containers must be added or removed.'),
  changes: z.array(change).describe('Each change.'),
})

const replicas = z.object({
  desired: z.int().describe('Containers there should be.'),
  running: z.int().describe('Containers that run.'),
  ready: z.int().describe('Containers that take traffic.'),
})

const restarts = z.object({
  count: z.int().describe('How many, since the environment was made.'),
  lastAt: z.iso.datetime().nullable().describe('When the last was.'),
  lastReason: text('Why.'),
})

const statusAnswer = z
  .object({
    appEnvId: z.string().describe('Environment id.'),
    status: appEnvStatus,
    currentContentId: text('The version that serves.'),
    currentVersion: z.int().nullable().describe('Its number.'),
    currentDeployment: deployment.nullable().describe('The version that serves.'),
    latestDeployment: deployment.nullable().describe('The version asked for last, whatever became of it.'),
    pendingChanges: pendingChanges.describe('What is configured and does not run yet.'),
    hosts: z.array(z.string()).describe('Hostnames of the environment.'),
    health: z
      .enum(['HEALTHY', 'DEGRADED', 'UNHEALTHY', 'UNKNOWN'])
      .describe('What was observed, against what is desired.'),
    replicas: replicas.describe('Desired and observed containers.'),
    restarts: restarts.describe('Containers that a probe found dead and that were started anew.'),
    sleeping: z.boolean().describe('Whether a function has scaled to zero.'),
    observedAt: z.iso.datetime().nullable().describe('When the engine was last asked.'),
    observedReason: text('What is wrong, if something is.'),
  })
  .meta({ id: 'AppEnvStatus', description: 'What was asked for, what runs, and how far apart the two are.' })

export const getAppEnvStatus = read({
  name: 'getAppEnvStatus',
  about: 'What an environment should run, what it runs, and how that goes.',
  query: z.strictObject(appEnvTarget),
  answer: statusAnswer,
  isSingle: true,
  run: ({ services, caller }, address) => services.appEnvs.status(caller, address),
})

const activity = z
  .object({
    ...shared,
    kind: z.enum(['DEPLOYMENT', 'SCALING']).describe('A version, or a change of the number of containers of one.'),
    status: z
      .enum([...CONTENT_STATUSES, 'RUNNING', 'SUCCEEDED'])
      .describe('How far the version came, or the operation that scaled.'),
    message: text('Why it failed or was cancelled; of a scaling, from how many to how many, and why.'),
    timestamp: z.iso.datetime().describe('When it was asked for.'),
    userId: text('Who asked for it.'),
    canRollback: z.boolean().describe('Whether a rollback to it would be accepted.'),
    cannotRollbackReason: text('Why not, if not.'),
  })
  .meta({ id: 'Activity', description: 'What became of an environment at one time.' })

const pagination = z.object({
  limit: z.int().describe('Most items in the answer.'),
  offset: z.int().describe('Items that were skipped.'),
  total: z.int().describe('Items in all.'),
  hasMore: z.boolean().describe('Whether more follow.'),
})

export const getAppEnvHistory = read({
  name: 'getAppEnvHistory',
  about:
    'The versions of an environment, newest first, each with whether it can be rolled back to, and each change of the number of containers, with why.',
  query: z.strictObject({
    ...appEnvTarget,
    limit: z.int().min(1).max(200).default(50).describe('Most items in the answer.'),
    offset: z.int().min(0).max(1_000_000).default(0).describe('Items to skip.'),
    fromDate: instant('Asked for no earlier than this.').optional(),
    toDate: instant('Asked for no later than this.').optional(),
  }),
  answer: z.object({ appEnvId: z.string().describe('Environment id.'), activities: z.array(activity), pagination }),
  run: ({ services, caller }, { appEnvId, envName, ...request }) =>
    services.appEnvs.history(caller, { appEnvId, envName }, request),
})
