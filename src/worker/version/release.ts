import { createHash } from 'node:crypto'
import { runsOf } from '../../app-types/behaviours.ts'
import { isReadByContainers, type ReleaseCommand, recordedConfiguration } from '../../domain/configuration.ts'
import { newId } from '../../domain/ids.ts'
import { hasRunEnded, type RunSnapshot } from '../../domain/job-run.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Content, JobRun } from '../../storage/database/generated/prisma/client.ts'
import { notifyRuns } from '../../storage/events/notifications.ts'
import { record } from '../../storage/events/record.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import type { StepName } from '../attempt/steps.ts'
import { VersionFailed } from '../attempt/version-failed.ts'
import { sleep } from '../time/sleep.ts'
import { lastLines } from './last-lines.ts'

const FIRST_PAUSE_MS = 20
const MAX_PAUSE_MS = 500

/** Whether containers of the version may start only after its release command. One that was deployed has passed it. */
export const needsRelease = ({ content }: Pick<VersionAttemptContext, 'content'>): boolean =>
  content.deployedAt === null && Boolean(recordedConfiguration(content).release)

/**
 * Has the release command of the version run to its end, once, as a job run of its own: with its record, its lease and
 * its log. Throws VersionFailed when it fails. The serving version is untouched meanwhile.
 */
export async function release(attempt: VersionAttemptContext, next: StepName): Promise<void> {
  const { steps } = attempt
  if (steps.isFinished('release')) return
  await steps.advance({ start: 'release' })
  const detail = (await isRepeated(attempt)) ? 'not run again: the version that this one repeats has passed it' : null
  await steps.advance({ finish: { name: 'release', detail: detail ?? (await passed(attempt)) }, start: next })
}

/** A rollback, or a redeployment that changes nothing which the command could see. */
async function isRepeated({ database, content }: VersionAttemptContext): Promise<boolean> {
  if (!content.fromContentId) return false
  const where = { appEnvId: content.appEnvId, releaseKey: releaseKeyOf(content), status: 'SUCCEEDED' as const }
  return (await database.jobRun.count({ where })) > 0
}

/** Hash of what the command depends on: the image, the command itself, the variables, and how its container is made. */
function releaseKeyOf(content: Content): string {
  const { release, variables, containerSettings } = recordedConfiguration(content)
  const given = variables.filter(isReadByContainers).map(({ name, fingerprint }) => [name, fingerprint])
  const settings = containerSettings ? [containerSettings] : []
  const seen = [content.imageDigest, release, given.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)), ...settings]
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex')
}

/** Waits for the run, and returns the step's detail. A worker that takes over waits for the same run. */
async function passed(attempt: VersionAttemptContext): Promise<string> {
  const { steps, signal } = attempt
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.3, MAX_PAUSE_MS)) {
    const { own, isHeldUp } = await releasesOf(attempt)
    if (own?.status === 'SUCCEEDED') return `${own.id} has succeeded`
    if (own && hasRunEnded(own.status)) throw await failed(attempt, own)
    if (isHeldUp) await steps.detail('release', 'waiting for the release command of an earlier version to be ended')
    else if (own) await steps.detail('release', `${own.id} is running`, 'The release command is running')
    else await steps.advance({ write: (tx) => begin(tx, attempt) })
    await sleep(pauseMs, signal)
    signal.throwIfAborted()
  }
}

async function releasesOf({ database, content: { id, appEnvId } }: VersionAttemptContext) {
  const runs = await database.jobRun.findMany({
    where: { appEnvId, trigger: 'RELEASE', OR: [{ contentId: id }, { status: 'RUNNING' }] },
  })
  const own = runs.find(({ contentId }) => contentId === id) ?? null
  // Two versions must not migrate one database at a time. A deployment that has ended has its command stopped.
  return { own, isHeldUp: own === null && runs.length > 0 }
}

/** It waits in no queue: the deployment would wait with it. */
async function begin(tx: Transaction, { appEnv, content, operation, lease }: VersionAttemptContext): Promise<void> {
  const configuration = recordedConfiguration(content)
  const runs = runsOf(appEnv.app, configuration)
  if (!runs) throw new Error(`${content.id} has a release command, and apps of its type have no runs`)
  const { timeoutSeconds, ...command } = configuration.release as ReleaseCommand
  const snapshot: RunSnapshot = { ...runs.settings, ...command, timeoutSeconds, backoffLimit: 0, envVars: [] }
  const { accountId, appEnvId, id: contentId, version: contentVersion } = content
  const run = await tx.jobRun.create({
    data: {
      id: newId('run'),
      accountId,
      appEnvId,
      contentId,
      contentVersion,
      status: 'RUNNING',
      trigger: 'RELEASE',
      startedAt: lease.claim.clock.now(),
      snapshot: snapshot as unknown as object,
      maxConcurrency: snapshot.maxConcurrency,
      releaseKey: releaseKeyOf(content),
      requestId: operation.requestId,
      requestedBy: operation.requestedBy,
    },
  })
  await notifyRuns(tx, appEnvId)
  const payload = { jobRunId: run.id, status: run.status, trigger: run.trigger }
  await record(tx, accountId, [{ type: 'jobRun.started', appId: appEnv.appId, appEnvId, payload }])
}

async function failed(attempt: VersionAttemptContext, run: JobRun): Promise<VersionFailed> {
  const [last] = await attempt.database.jobAttempt.findMany({ where: { runId: run.id }, orderBy: { number: 'desc' } })
  const words = await lastLines(attempt, last ? { name: last.containerName, startedAt: last.startedAt } : null)
  return new VersionFailed(
    'RELEASE_FAILED',
    `The release command ${run.id} ended as ${run.status}: ${run.message ?? run.reason}${words}`,
  )
}
