import { z } from 'zod'
import { enumeration } from '../../calls/enumeration.ts'
import { fieldsOf, flag, text, time, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { Container } from '../../storage/database/generated/prisma/client.ts'

export const terminationReason = enumeration('TerminationReason', 'Why a container ended.', {
  OUT_OF_MEMORY: 'The container used up its memory.',
  COMPLETED: 'The command ended without an error.',
  ERROR: 'The container ended with an error, or was killed.',
})

/** A container as the worker last recorded it, and what belongs to it. */
export interface PodRow {
  container: Container
  isReady: boolean
  /** Whether it copies the first container. */
  isReplica: boolean
  lagSeconds: number | null
  cpu: number
  memoryMb: number
  nodeName: string
}

/** How a container ended last; its exit code may be unknown when it was restarted unseen. */
interface Ended extends Pick<Container, 'lastExitCode' | 'lastExitOutOfMemory'> {
  lastExitAt: Date
}

const ended = fieldsOf<Ended>()

const termination = resource({
  name: 'Termination',
  description: 'How a container ended.',
  fields: {
    reason: ended.from({}, terminationReason.type, 'Why the container ended.', ({ lastExitCode, ...exit }: Ended) =>
      exit.lastExitOutOfMemory ? 'OUT_OF_MEMORY' : lastExitCode === 0 ? 'COMPLETED' : 'ERROR',
    ),
    exitCode: ended.column('lastExitCode', whole.nullable(), 'Exit code; null when it was not observed.'),
    outOfMemory: ended.column('lastExitOutOfMemory', flag, 'Whether the container used up its memory.'),
    finishedAt: ended.column('lastExitAt', time, 'Time at which the container ended.'),
  },
})

const field = fieldsOf<PodRow>()

const podResources = resource({
  name: 'PodResources',
  description: 'CPU and memory that a container is allotted.',
  fields: {
    cpu: field.given('cpu', z.number(), 'CPU of the container, in zCPU.'),
    memory: field.given('memoryMb', z.number(), 'Memory of the container, in MB.'),
  },
})

const isRunning = ({ container }: PodRow) => container.phase === 'running'

export const pod = resource({
  name: 'Pod',
  id: 'Pod',
  description: 'A container of an environment, as it was last observed.',
  examples: {
    name: 'default-shop-production-1',
    podId: '5c2f1e0b9a74',
    status: 'running',
    containerReady: true,
    isReplica: false,
    replicationLagSeconds: null,
    finishedAt: null,
    restartCount: 0,
    lastTermination: null,
    nodeName: 'local',
  },
  fields: {
    name: field.from({}, text, 'Name of the container.', ({ container }: PodRow) => container.name),
    podId: field.from({}, text, 'Id of the container on the engine.', ({ container }: PodRow) => container.containerId),
    status: field.from(
      {},
      text,
      'Status of the container: CREATED, RUNNING, RESTARTING, PAUSED, EXITED or DEAD.',
      ({ container }: PodRow) => container.phase.toUpperCase(),
    ),
    containerReady: field.from(
      {},
      flag,
      'Whether the container is ready for traffic.',
      (row: PodRow) => isRunning(row) && row.isReady,
    ),
    isReplica: field.given(
      'isReplica',
      flag,
      'Whether the container copies the first one of its managed service, and serves reads only.',
    ),
    replicationLagSeconds: field.from(
      {},
      z.number().nullable(),
      'Seconds by which a replica was behind the first container when it was last asked; null while that is not known.',
      ({ lagSeconds }: PodRow) => lagSeconds,
    ),
    startedAt: field.from(
      {},
      time.nullable(),
      'Time of the container’s last start.',
      ({ container }: PodRow) => container.startedAt?.toISOString() ?? null,
    ),
    finishedAt: field.from(
      {},
      time.nullable(),
      'Time at which the container ended; null while it runs.',
      (row: PodRow) => (isRunning(row) ? null : (row.container.finishedAt?.toISOString() ?? null)),
    ),
    restartCount: field.from(
      {},
      whole,
      'Number of times that the engine restarted the container.',
      ({ container }: PodRow) => container.restartCount,
    ),
    lastTermination: field.from(
      {},
      termination.answer.type.nullable(),
      'How the container ended last; null when it never did.',
      ({ container: { lastExitAt, ...exit } }: PodRow) =>
        lastExitAt && termination.answer.record({ ...exit, lastExitAt }),
    ),
    resources: field.from(
      {},
      podResources.answer.type,
      'CPU and memory that the container is allotted.',
      (row: PodRow) => podResources.answer.record(row),
    ),
    nodeName: field.given('nodeName', text, 'Name of the machine that the container runs on.'),
    contentId: field.from(
      {},
      text,
      'Id of the version that the container runs.',
      ({ container }: PodRow) => container.contentId,
    ),
  },
})
