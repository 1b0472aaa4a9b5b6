import { setTimeout as pause } from 'node:timers/promises'
import type { Container } from 'dockerode'
import { failpoint } from '../../../fault-injection/failpoint.ts'
import {
  type ObservedTask,
  RuntimeError,
  type Task,
  type TaskReference,
  taskName,
} from '../../runtime/container-runtime.ts'
import { inParallel } from '../../runtime/in-parallel.ts'
import type { DockerEngine } from '../connection.ts'
import { statusOf } from '../engine-answers.ts'
import { refusedAs } from '../engine-words.ts'
import { LABEL } from '../labels.ts'
import { taskFilters } from './container-labels.ts'
import { taskSpec } from './container-spec.ts'
import { createContainer, leaveLimits } from './create-container.ts'
import { checkStarted } from './detect-failed-start.ts'
import { findContainer } from './find-containers.ts'
import { prepareContainer } from './prepare.ts'
import { isGone, refusalOf } from './refusals.ts'
import { removeContainer } from './remove.ts'

/** Each attempt after the first follows a container of the name, or a network, that was going away. */
const ATTEMPTS = 5
const ATTEMPT_PAUSE_MS = 100
const REMOVALS_AT_ONCE = 4
const RECHECK_MS = 100

export interface TaskEngine {
  engine: DockerEngine
  cores: () => Promise<number>
  processes: number
}

/** Starts a task that goes on without its caller. */
export async function startTask(tasks: TaskEngine, task: Task, signal: AbortSignal): Promise<string> {
  const { engine } = tasks
  const name = taskName(task)
  await beginTask(tasks, task, { attached: false }, signal)
  try {
    await checkStarted(engine, name, name, signal)
  } catch (error) {
    if (!signal.aborted) await removeContainer(engine, name, { graceSeconds: 0 }, signal)
    throw error
  }
  return name
}

interface Beginning {
  attached: boolean
  /** Between creation and start, so that no output is missed. */
  beforeStart?: (container: Container) => Promise<void>
}

/** Creates and starts the container of a task, in place of one that an earlier attempt left. */
export async function beginTask(
  tasks: TaskEngine,
  task: Task,
  { attached, beforeStart }: Beginning,
  signal: AbortSignal,
): Promise<Container> {
  const { engine } = tasks
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    await removeEarlier(engine, task, signal)
    const container = await create(tasks, task, attached, signal)
    try {
      if (container) {
        await prepareContainer(engine, container.id, task, signal)
        await beforeStart?.(container)
        await container.start({ abortSignal: signal })
        failpoint('container.started', task.appEnvId)
        return container
      }
    } catch (error) {
      if (refusedAs(error, 'limitRefused')) leaveLimits(engine)
      else if (!refusedAs(error, 'networkGone') && !(container && (await isGone(engine, container.id, error, signal))))
        throw refusalOf(error)
    }
    await pause(ATTEMPT_PAUSE_MS * attempt, undefined, { signal })
  }
  throw new Error(`Container ${taskName(task)} kept disappearing while it was being started`)
}

/** Null while another container of the name is going away. */
async function create(
  { engine, cores, processes }: TaskEngine,
  task: Task,
  attached: boolean,
  signal: AbortSignal,
): Promise<Container | null> {
  const network = task.network === 'NONE' ? null : (await engine.networks.ensure(task.accountId)).name
  const placement = { installationId: engine.installationId, network, cores: await cores(), processes }
  try {
    const container = await createContainer(engine, taskSpec(task, placement, { attached }), signal)
    failpoint('container.created', task.appEnvId)
    return container
  } catch (error) {
    if (statusOf(error) === 409) return null
    throw refusalOf(error)
  }
}

async function removeEarlier(engine: DockerEngine, task: Task, signal: AbortSignal): Promise<void> {
  const name = taskName(task)
  const earlier = await findContainer(engine, name, signal)
  if (!earlier) return
  if (earlier.Config.Labels?.[LABEL.installation] !== engine.installationId) {
    throw new RuntimeError('CONTAINER_START_FAILED', `The name ${name} is taken by a container that is not Berth’s`)
  }
  await removeContainer(engine, earlier.Id, { graceSeconds: 0 }, signal)
}

const listTasks = ({ docker, installationId }: DockerEngine, reference: Partial<TaskReference>, signal: AbortSignal) =>
  docker.listContainers({ all: true, filters: taskFilters(installationId, reference), abortSignal: signal })

export async function observeTasks(engine: DockerEngine, signal: AbortSignal): Promise<ObservedTask[]> {
  const found = await listTasks(engine, {}, signal)
  return found.map(({ Names, Labels }) => ({
    name: (Names[0] ?? '').replace(/^\//, ''),
    appEnvId: Labels[LABEL.appEnv] ?? '',
    operationId: Labels[LABEL.operation] ?? '',
  }))
}

/** Lists again until none is left, because a removal may be another caller's, and a running create may have ended. */
export async function removeTasks(engine: DockerEngine, reference: TaskReference, signal: AbortSignal): Promise<void> {
  for (let round = 1; ; round += 1) {
    const found = await listTasks(engine, reference, signal)
    if (found.length === 0) return
    if (round > 1) await pause(RECHECK_MS, undefined, { signal })
    await inParallel(found, REMOVALS_AT_ONCE, ({ Id }) => removeContainer(engine, Id, { graceSeconds: 0 }, signal))
  }
}
