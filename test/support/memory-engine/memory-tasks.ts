import type { CallBounds } from '../../../src/engines/call-bounds.ts'
import type { CommandStreams } from '../../../src/engines/command-streams.ts'
import {
  type ContainerRuntime,
  type ExecOptions,
  type ExecResult,
  RuntimeError,
  type Task,
  type TaskReference,
  taskName,
} from '../../../src/engines/runtime/container-runtime.ts'
import { call, type MemoryConnection, own, silence } from './connection.ts'
import { commandOf, type MemoryContainer } from './memory-container.ts'

type Commands = Pick<ContainerRuntime, 'exec' | 'killExec' | 'runTask' | 'startTask' | 'observeTasks' | 'removeTasks'>

/** Commands in the containers of the machine, and containers for one command. */
export const memoryCommands = (connection: MemoryConnection): Commands => ({
  exec: (name, command, options = {}) => exec(connection, name, command, options),
  killExec: (name, key, bounds) => call(connection, bounds, () => own(connection, name).killCommands(key)),
  runTask: (task, options = {}) => runTask(connection, task, options),
  startTask: (task, bounds) =>
    call(connection, bounds, async () => {
      const container = await createTask(connection, task)
      await container.start().catch((error: unknown) => {
        connection.machine.remove(container)
        throw error
      })
      return container.name
    }),
  observeTasks: (bounds) =>
    call(connection, bounds, () =>
      select(connection, {}).map(({ name, options: { rollout } }) => ({
        name,
        appEnvId: rollout.appEnvId,
        operationId: rollout.rolloutId,
      })),
    ),
  removeTasks: (reference, bounds) =>
    call(connection, bounds, async () => {
      for (const container of select(connection, reference)) await end(connection, container)
    }),
})

async function exec(
  connection: MemoryConnection,
  name: string,
  command: readonly string[],
  options: ExecOptions,
): Promise<ExecResult> {
  const clock = deadlineOf(connection, options, `${command[0]} in ${name}`)
  const find = () => {
    const container = own(connection, name)
    if (container.phase !== 'running') throw new RuntimeError('NOT_RUNNING', `The container ${name} does not run`)
    return container
  }
  const container = await call(connection, options, find, clock)
  clock.begin()
  return await call(connection, options, (signal) => container.run(command, options, options, signal), clock)
}

async function runTask(
  connection: MemoryConnection,
  task: Task,
  options: CallBounds & CommandStreams,
): Promise<ExecResult> {
  const clock = deadlineOf(connection, options, `The task ${taskName(task)}`)
  const container = await call(connection, options, () => createTask(connection, task), clock)
  clock.begin()
  try {
    return await call(
      connection,
      options,
      async (signal) => {
        const { rollout, image } = container.options
        const result = await container.run(commandOf(rollout.command, image), options, {}, signal)
        if (connection.machine.find(container.id)) return result
        throw new RuntimeError('NOT_RUNNING', `The task ${container.name} was removed while it ran`)
      },
      clock,
    )
  } finally {
    await end(connection, container)
  }
}

/** Before the command runs, the machine is what is late. */
function deadlineOf({ callTimeoutSeconds }: MemoryConnection, { timeoutSeconds }: CallBounds, what: string) {
  const seconds = timeoutSeconds ?? callTimeoutSeconds
  let isRunning = false
  return {
    begin: () => {
      isRunning = true
    },
    timeUp: () =>
      isRunning ? new RuntimeError('COMMAND_TIMEOUT', `${what} did not end within ${seconds} s`) : silence(seconds),
  }
}

async function createTask(connection: MemoryConnection, task: Task): Promise<MemoryContainer> {
  const { machine, installationId } = connection
  const name = taskName(task)
  const earlier = machine.containers.get(name)
  if (earlier && earlier.options.installationId !== installationId)
    throw new RuntimeError('CONTAINER_START_FAILED', `The name ${name} is taken by another container`)
  if (earlier) await end(connection, earlier)
  const image = machine.images.find(task.pinnedImage)
  if (!image) throw new RuntimeError('IMAGE_NOT_FOUND', `There is no image ${task.pinnedImage}`)
  return machine.createTask(installationId, task, image)
}

const select = (
  { machine, installationId }: MemoryConnection,
  { appEnvId, operationId }: Partial<TaskReference>,
): MemoryContainer[] =>
  [...machine.containers.values()].filter(
    ({ options }) =>
      options.installationId === installationId &&
      options.task !== null &&
      (appEnvId === undefined || options.task.appEnvId === appEnvId) &&
      (operationId === undefined || options.task.operationId === operationId),
  )

async function end({ machine }: MemoryConnection, container: MemoryContainer): Promise<void> {
  // Before it is stopped, so that its caller finds out.
  machine.remove(container)
  await container.stop(0)
}
