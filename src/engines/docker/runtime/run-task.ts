import type { Duplex } from 'node:stream'
import type { Container } from 'dockerode'
import type { CallBounds } from '../../call-bounds.ts'
import type { CommandStreams } from '../../command-streams.ts'
import { type ExecResult, RuntimeError, type Task, taskName } from '../../runtime/container-runtime.ts'
import { statusOf } from '../engine-answers.ts'
import { carryStreams } from '../exec/carry-streams.ts'
import { exitCodeOf } from '../exec/command-end.ts'
import { silence, within } from '../within.ts'
import { brokenOff } from './refusals.ts'
import { removeContainer } from './remove.ts'
import { cannotRun, commandFault, isRefusal } from './start-fault.ts'
import { beginTask, type TaskEngine } from './task.ts'

/** Runs a task to its end. Its removal is not the caller's to abort: what it cannot remove is swept later. */
export async function runTask(
  tasks: TaskEngine,
  task: Task,
  options: CallBounds & CommandStreams,
): Promise<ExecResult> {
  const { engine } = tasks
  const seconds = options.timeoutSeconds ?? engine.callTimeoutSeconds
  const name = taskName(task)
  const attached: { container?: Container; connection?: Duplex; isStarted?: boolean } = {}
  const beforeStart = async (container: Container, signal: AbortSignal) => {
    attached.container = container
    attached.connection = await attach(container, signal)
  }
  const timeUp = () =>
    attached.isStarted
      ? new RuntimeError('COMMAND_TIMEOUT', `The task ${name} did not end within ${seconds} s`)
      : silence(engine, seconds)
  const run = async (signal: AbortSignal) => {
    const container = await within(engine, { signal }, (signal) =>
      beginTask(tasks, task, { attached: true, beforeStart: (created) => beforeStart(created, signal) }, signal),
    )
    attached.isStarted = true
    if (!attached.connection) throw brokenOff()
    const { errorOutput, isWhole } = await carryStreams(attached.connection, options, signal)
    const exitCode = await exitCodeOf(engine, (signal) => stateOf(container, name, signal), signal)
    if (!isWhole && exitCode === 0 && options.output) throw brokenOff()
    const words = errorOutput.trimEnd().split('\n').at(-1) ?? ''
    if (cannotRun(exitCode) && isRefusal(words))
      throw await commandFault(engine, { image: task.pinnedImage, subject: name, words }, signal)
    return { exitCode, errorOutput }
  }
  try {
    return await within(engine, { signal: options.signal }, run, { seconds, timeUp })
  } finally {
    attached.connection?.destroy()
    const { container } = attached
    if (container) {
      await within(engine, {}, (signal) => removeContainer(engine, container.id, { graceSeconds: 0 }, signal)).catch(
        () => {},
      )
    }
  }
}

async function attach(container: Container, abortSignal: AbortSignal): Promise<Duplex> {
  const _query = { stream: true, stdin: true, stdout: true, stderr: true }
  // Without a body, of which the container could take a part for input.
  const request = { _query, _body: {}, hijack: true, abortSignal }
  return (await container.attach(request)) as Duplex
}

async function stateOf(container: Container, name: string, abortSignal: AbortSignal) {
  try {
    const { Running, ExitCode } = (await container.inspect({ abortSignal })).State
    return { isRunning: Running, exitCode: ExitCode }
  } catch (error) {
    if (statusOf(error) === 404) throw new RuntimeError('NOT_RUNNING', `The task ${name} was removed while it ran`)
    throw error
  }
}
