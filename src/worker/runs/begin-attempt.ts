import { setTimeout as pause } from 'node:timers/promises'
import { commandLine } from '../../domain/command-line.ts'
import { recordedConfiguration, type SealedVariable } from '../../domain/configuration.ts'
import { DomainError } from '../../domain/errors.ts'
import type { RunSnapshot } from '../../domain/job-run.ts'
import { resourcesOf } from '../../domain/resources.ts'
import { type ObservedRun, type RunContainer, RuntimeError, runName } from '../../engines/runtime/container-runtime.ts'
import type { JobAttempt } from '../../storage/database/generated/prisma/client.ts'
import { resolveVersionImage } from '../images/version-image.ts'
import { containerVariables } from '../version/variables.ts'
import { fencedRun } from './fenced-run.ts'
import type { LoadedRun, RunContext } from './run-context.ts'
import { type OpenOutput, openOutput } from './run-output.ts'

/** Containers that an engine could not start, for reasons of its own, before the attempt fails. */
const CONTAINERS = 5
/** A worker that was killed may have asked the engine for a start that is still under way: it is waited for. */
const UNDER_WAY = { checks: 20, everyMs: 150 }

/** The container of the attempt is gone, and with it how it ended. */
export class ContainerGone extends Error {
  override readonly name = 'ContainerGone'
}

/** Records the attempt before there is a container, with its name. */
export async function openAttempt({ database, lease }: RunContext, { run, attempts }: LoadedRun): Promise<JobAttempt> {
  const number = attempts.length + 1
  const containerName = runName({ runId: run.id, attempt: number })
  return fencedRun(database, lease, (tx) => tx.jobAttempt.create({ data: { runId: run.id, number, containerName } }))
}

/** An attempt whose container has been started, and the output that is followed since. */
export interface StartedAttempt {
  loaded: LoadedRun
  attempt: JobAttempt
  containerId: string
  output: OpenOutput
}

/**
 * Brings an attempt to where its container has been started, once: the id is recorded before the start, and what has an
 * id is never created again. The caller closes the output.
 */
export async function startAttempt(context: RunContext, loaded: LoadedRun): Promise<StartedAttempt> {
  const { attempt } = loaded
  if (!attempt) throw new Error(`${loaded.run.id} has no attempt to start`)
  const outputOf = (containerId: string) => openOutput(context, loaded, { containerId, name: attempt.containerName })
  if (attempt.startedAt && attempt.containerId) {
    const { containerId } = attempt
    return { loaded, attempt, containerId, output: await outputOf(containerId) }
  }
  let containerId = attempt.containerId && (await adopted(context, attempt.containerId))
  for (let tries = 0; tries < CONTAINERS; tries += 1) {
    containerId ??= await createContainer(context, loaded, attempt)
    const opening = outputOf(containerId)
    try {
      const output = await startFollowed(context, containerId, opening)
      if (output) return { ...(await recordStart(context, loaded, { ...attempt, containerId })), containerId, output }
    } catch (error) {
      await closeOutput(opening)
      throw error
    }
    await closeOutput(opening)
    containerId = null
  }
  throw new Error(`Container ${attempt.containerName} kept disappearing while it was being started`)
}

/**
 * The output is asked for while the engine starts the container: engines hold back questions about a container that
 * starts or ends, and a short command would have ended before the first line could be asked for.
 */
async function startFollowed(
  { engine, lease }: RunContext,
  containerId: string,
  opening: Promise<OpenOutput>,
): Promise<OpenOutput | null> {
  const following = opening.then(({ collection, row }) => collection.follow([row]))
  following.catch(() => {})
  // Nothing is awaited between this and the engine's call: another worker may have started it otherwise.
  lease.assertHeld()
  const isStarted = await engine.startRun(containerId).catch(rejectGone)
  await following
  const output = await opening
  if (!isStarted) return null
  if (output.collection.isFollowing(output.row)) return output
  // An engine that was asked before it had begun to start the container answered that there is none: it is asked again.
  return { ...output, row: { ...output.row, startedAt: new Date(Date.now() + 1) } }
}

const closeOutput = (opening: Promise<OpenOutput>): Promise<void> =>
  opening.then(
    ({ collection }) => collection.close(),
    () => {},
  )

/** The engine has lost it, and whether it ran is unknown: a replacement might run the command twice. */
function rejectGone(error: unknown): never {
  throw error instanceof DomainError && error.code === 'NOT_FOUND' ? new ContainerGone(error.message) : error
}

/** One that an earlier worker has created. If it was removed, that may have been after it ran. */
async function adopted({ engine, signal }: RunContext, containerId: string): Promise<string> {
  for (let check = 0; ; check += 1) {
    const found = await engine.observeRun(containerId)
    if (!found) throw new ContainerGone('The container was removed before it was known to have started')
    if (found.phase !== 'created' || check >= UNDER_WAY.checks) return containerId
    await pause(UNDER_WAY.everyMs, undefined, { signal })
  }
}

async function createContainer(context: RunContext, loaded: LoadedRun, attempt: JobAttempt): Promise<string> {
  const { database, lease, engine } = context
  const { containerId } = await withImage(context, loaded, async () =>
    engine.createRun(await runContainerOf(context, loaded, attempt.number)),
  )
  const { runId, number } = attempt
  await fencedRun(database, lease, (tx) =>
    tx.jobAttempt.update({ where: { runId_number: { runId, number } }, data: { containerId } }),
  )
  return containerId
}

/** The image may have been removed by hand. */
async function withImage(
  context: RunContext,
  { appEnv, content }: LoadedRun,
  create: () => Promise<ObservedRun>,
): Promise<ObservedRun> {
  try {
    return await create()
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.reason !== 'IMAGE_NOT_FOUND') throw error
    await resolveVersionImage(context, appEnv, content)
    return create()
  }
}

async function recordStart({ database, lease }: RunContext, loaded: LoadedRun, attempt: JobAttempt) {
  const { run, snapshot } = loaded
  const startedAt = lease.claim.clock.now()
  const deadlineAt = run.deadlineAt ?? new Date(startedAt.getTime() + snapshot.timeoutSeconds * 1000)
  const { runId, number } = attempt
  await fencedRun(database, lease, async (tx) => {
    await tx.jobAttempt.update({ where: { runId_number: { runId, number } }, data: { startedAt } })
    await tx.jobRun.update({ where: { id: runId }, data: { deadlineAt } })
  })
  return { loaded: { ...loaded, run: { ...run, deadlineAt } }, attempt: { ...attempt, startedAt } }
}

/** In a folder that no image has. */
const STDIN = '/run/berth-input/stdin'

/** What the engine is to create for an attempt, with its secrets opened: never logged, never stored. */
async function runContainerOf(context: RunContext, loaded: LoadedRun, attempt: number): Promise<RunContainer> {
  const { run, snapshot, content, appEnv } = loaded
  if (!content.imageDigest) throw new Error(`The image of ${content.id} is not pinned`)
  const configuration = recordedConfiguration(content)
  const stdin = run.stdin as unknown as SealedVariable | null
  return {
    accountId: run.accountId,
    appId: appEnv.appId,
    appEnvId: run.appEnvId,
    contentId: content.id,
    runId: run.id,
    attempt,
    generation: context.lease.claim.token,
    requestId: run.requestId,
    pinnedImage: content.imageDigest,
    command: commandOf(snapshot, stdin !== null),
    workingDir: snapshot.workingDir,
    environment: {
      ...(await containerVariables(context, appEnv, content, snapshot.envVars)),
      BERTH_JOB_RUN_ID: run.id,
      BERTH_JOB_ATTEMPT: String(attempt),
    },
    files: stdin ? [{ path: STDIN, content: context.vault.forAccount(appEnv.account).openVariable(stdin) }] : [],
    settings: configuration.containerSettings ?? null,
    resources: resourcesOf(configuration),
    // Under no name of the environment, which means what serves.
    group: appEnv.networkGroup === null ? null : { id: appEnv.networkGroup, aliases: [] },
  }
}

/** Input is a file, so that an attempt that is taken over by another worker reads the same, and all of it. */
function commandOf({ command, args, shell }: RunSnapshot, hasInput: boolean): RunContainer['command'] {
  if (command === null) return args.length > 0 ? { entrypoint: [], args } : null
  const line = commandLine({ command, args, shell })
  if (!hasInput) return line
  return { entrypoint: ['/bin/sh', '-c'], args: [`exec "$@" < ${STDIN}`, 'sh', ...line.entrypoint, ...line.args] }
}
