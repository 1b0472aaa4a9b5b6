import { z } from 'zod'
import { wantedReplicas } from '../../app-types/behaviours.ts'
import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { type Fields, fieldsOf, flag, shownAs, text, time, whole } from '../../calls/field.ts'
import { answer, pick, resource } from '../../calls/resource.ts'
import { type VolumeUse, volumeWarning } from '../../domain/volume-use.ts'
import type { AppEnv, Content, RequestScaling } from '../../storage/database/generated/prisma/client.ts'
import { pendingChanges } from '../configuration/pending-change-fields.ts'
import { deployment } from '../deployment/deployment-fields.ts'
import { appEnvFields, current, pendingSummary, versionOfAppEnv } from './app-env-fields.ts'

type Counted = Pick<
  AppEnv,
  'status' | 'rolloutId' | 'containers' | 'replicasDesired' | 'replicasRunning' | 'replicasReady'
> & { app: { type: string } }

/**
 * Containers, desired and observed. Before the first version serves, the counts are those of the deployment in
 * progress.
 */
export function replicaCounts(appEnv: Counted): { desired: number; running: number; ready: number } {
  const isFirst = appEnv.rolloutId === null && appEnv.status === 'UPDATING'
  return {
    desired: isFirst ? wantedReplicas(appEnv) : appEnv.replicasDesired,
    running: appEnv.replicasRunning,
    ready: appEnv.replicasReady,
  }
}

export const health = enumeration('Health', 'Observed state of an environment, compared with the desired one.', {
  HEALTHY: 'All desired containers are ready.',
  DEGRADED: 'Some containers are ready, and some are not.',
  UNHEALTHY: 'No container is ready.',
  UNKNOWN: 'No container is desired, or nothing was observed yet.',
})

const counted = fieldsOf<ReturnType<typeof replicaCounts>>()

export const replicas = resource({
  name: 'Replicas',
  description: 'Desired and observed containers of an environment.',
  examples: {
    desired: 2,
    running: 2,
    ready: 2,
  },
  fields: {
    desired: counted.column('desired', whole, 'Number of containers that should run.'),
    running: counted.column('running', whole, 'Number of containers that run.'),
    ready: counted.column('ready', whole, 'Number of containers that are ready for traffic.'),
  },
})

const restarted = fieldsOf<AppEnv>()

const restarts = resource({
  name: 'Restarts',
  description:
    'Containers that were started again, by the engine after they ended or by Berth after a probe found them dead.',
  fields: {
    count: restarted.column(
      'restartCount',
      whole,
      'Number of restarts since the environment was created, of all its containers.',
    ),
    lastAt: restarted.column('lastRestartAt', time.nullable(), 'Time of the last restart.'),
    lastReason: restarted.column('lastRestartReason', text.nullable(), 'Why the last restart happened.'),
  },
})

const field = fieldsOf<AppEnv>()
const fromServices = fieldsOf<{ latestContent: Content | null }>()
const isRelation = { inGraphQL: { isResolvedThere: true } } as const

const deployments = {
  currentDeployment: field.from(
    { currentContent: true },
    deployment.answer.type.nullable(),
    'Version that serves; null before the first deployment.',
    ({ currentContent }: { currentContent: Content | null }, context) =>
      currentContent && deployment.answer.record(currentContent, context),
    isRelation,
  ),
  latestDeployment: fromServices.from(
    {},
    deployment.answer.type.nullable(),
    'Newest version, whatever its outcome; null before the first deployment.',
    ({ latestContent }: { latestContent: Content | null }, context) =>
      latestContent && deployment.answer.record(latestContent, context),
    isRelation,
  ),
}

export const sleepDepth = enumeration('SleepDepth', 'How deep an environment without a running container sleeps.', {
  FROZEN: 'The container is paused: memory is kept, and no processor time is used.',
  STOPPED: 'The container exists, and does not run.',
  NONE: 'There is no container.',
})

interface MaySleep {
  requestScaling: Pick<RequestScaling, 'depth' | 'depthSince' | 'depthReason' | 'failure' | 'wakeProblem'> | null
}

const asleep = {
  requestScaling: {
    select: {
      depth: true,
      depthSince: true,
      depthReason: true,
      failure: true,
      wakeProblem: true,
    },
  },
}

/** Null where it is awake, or an ingress can have it woken. */
const wakeWarning = ({ requestScaling }: MaySleep): string | null =>
  requestScaling?.depth && requestScaling.wakeProblem
    ? `it sleeps, and cannot be woken: ${requestScaling.wakeProblem}`
    : null

function sleepReasonOf({ requestScaling: scaling }: MaySleep): string | null {
  if (!scaling?.depth) return null
  if (scaling.wakeProblem) return `it cannot be woken: ${scaling.wakeProblem}`
  return scaling.failure === null ? scaling.depthReason : `the last wake failed: ${scaling.failure}`
}

const observed = {
  health: field.column('health', health.type, 'Observed state, compared with the desired one.'),
  replicas: field.from(
    {
      status: true,
      rolloutId: true,
      containers: true,
      app: { select: { type: true } },
      replicasDesired: true,
      replicasRunning: true,
      replicasReady: true,
    },
    replicas.answer.type,
    'Desired and observed containers.',
    replicaCounts,
  ),
  restarts: field.from(
    restarts.answer.select,
    restarts.answer.type,
    'Containers that were started again, by the engine after they ended or by Berth after a probe found them dead.',
    (row: AppEnv, context) => restarts.answer.record(row, context),
  ),
  sleeping: field.from(
    asleep,
    flag,
    'Whether the environment is scaled to zero until the next request wakes it.',
    ({ requestScaling }: MaySleep) => Boolean(requestScaling?.depth),
  ),
  sleepDepth: field.from(
    asleep,
    sleepDepth.type.nullable(),
    'How deep the environment sleeps; null while it is awake.',
    ({ requestScaling }: MaySleep) => requestScaling?.depth ?? null,
  ),
  sleepingSince: field.from(
    asleep,
    time.nullable(),
    'Time since which the environment sleeps at this depth; null while it is awake.',
    ({ requestScaling }: MaySleep) => (requestScaling?.depth ? requestScaling.depthSince.toISOString() : null),
  ),
  sleepReason: field.from(
    asleep,
    text.nullable(),
    'Why the environment sleeps at this depth, why its last wake failed, or why it cannot be woken; null while it is awake.',
    sleepReasonOf,
  ),
  observedAt: field.column('observedAt', time.nullable(), 'Time at which the containers were last observed.'),
  warnings: field.from(
    { volume: { select: { usedMb: true, diskMb: true } }, ...asleep },
    z.array(text),
    'What needs attention although the environment is healthy, such as a volume that is 80 percent full, or a function that nothing can wake.',
    (row: MaySleep & { volume: VolumeUse | null }) =>
      [row.volume && volumeWarning(row.volume), wakeWarning(row)].filter((one) => one !== null),
  ),
  observedReason: field.column('observedReason', text.nullable(), 'Why the environment is not healthy, if it is not.'),
}

/** Contract §2, desired and observed. */
export const appEnvStatusAnswer = answer(
  {
    ...pick(appEnvFields, 'appEnvId', 'status'),
    ...current,
    ...deployments,
    pendingChanges: shownAs(appEnvFields.pendingChanges, pendingChanges.answer.type, (changes, context) =>
      pendingChanges.answer.record(changes, context),
    ),
    ...pick(appEnvFields, 'hosts', 'url'),
    ...observed,
  },
  { id: 'AppEnvStatus', description: 'Desired and observed state of an environment.' },
)

/**
 * Fields of GraphQL's AppEnv for callers with `appEnv:observe` only: what REST returns to them in the status, the
 * history, the operations and the answers to lifecycle calls.
 */
export const OBSERVABLE_FIELDS: ReadonlySet<string> = new Set([
  ...Object.entries(appEnvStatusAnswer.fields as Fields).flatMap(([name, { only, inGraphQL }]) =>
    // Hosts are objects in GraphQL, with more fields than the names in the status.
    only || name === 'hosts' ? [] : [inGraphQL?.name ?? name],
  ),
  'name',
  'deployments',
  'operations',
])

/** All that GraphQL shows of an environment. */
export const appEnv = resource({
  name: 'AppEnv',
  description: 'A deployed instance of an app, such as production.',
  examples: {
    appEnvId: exampleId('env'),
    deploymentName: 'default-shop-production',
    hosts: ['default-shop-production.berth.localhost'],
    preventDestroy: false,
    pullRequest: null,
    startupConfig: null,
    releaseCommand: null,
    containerSettings: null,
    networkAliases: [],
    backupSchedule: null,
    nextBackupAt: null,
    volume: null,
    externalAccess: null,
    labels: { tier: 'frontend' },
    pendingChanges: [],
    currentContentId: exampleId('con'),
    currentVersion: 3,
  },
  fields: appEnvFields,
  graphqlFields: { ...observed, ...deployments, pendingChanges: pendingSummary, version: versionOfAppEnv },
  relations: {
    credentials: {
      description:
        'Generated credentials of a managed service, and the addresses that they are part of. Admins only; leaves an audit entry. Refused for other apps.',
    },
    app: { description: 'App that the environment is an instance of.' },
    account: { description: 'Account that owns the environment.' },
    deployments: { description: 'Versions of the environment, newest first.' },
    operations: { description: 'Operations on the environment, newest first.' },
  },
})
