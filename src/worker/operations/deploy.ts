import { awaitedReplicas, isRolledOut, requestScalingOf } from '../../app-types/behaviours.ts'
import { recordedConfiguration } from '../../domain/configuration.ts'
import type { ObservedReplica, Rollout } from '../../engines/runtime/container-runtime.ts'
import type { AttemptContext, VersionAttemptContext } from '../attempt/attempt-context.ts'
import { besideCheckpoint } from '../attempt/beside-checkpoint.ts'
import { completeOperation } from '../attempt/complete-operation.ts'
import type { StepName } from '../attempt/steps.ts'
import { build, needsBuild } from '../builds/build.ts'
import { resolveVersionImage } from '../images/version-image.ts'
import { withBackgroundReconcile } from '../reconcile/background-reconcile.ts'
import { finishUpgrade, prepareUpgrade, recordDataVersion } from '../service/upgrade.ts'
import { push } from '../version/pushed-image.ts'
import { needsRecreate, stopOtherVersions } from '../version/recreate-strategy.ts'
import { needsRelease, release } from '../version/release.ts'
import { rolloutOf } from '../version/rollout.ts'
import { containersOf, type RouteAlso, route } from '../version/route.ts'
import { startAndAwaitReady } from '../version/start-and-await-ready.ts'

/**
 * Deploys a version, or brings one back: build if there is a source, pull, release, create, ready, route. The serving version
 * stays untouched up to the last transaction, so a failure anywhere before it changes nothing.
 */
export const deploy = (started: AttemptContext): Promise<void> => deployWith(started, WITHOUT_DATA)

/** What a deployment does about the data of a managed service, beside using what is in its volume. */
export interface DataSteps {
  /** Before containers are created. */
  prepare: (attempt: VersionAttemptContext) => Promise<void>
  /** Whether containers that an earlier attempt created are of no use. */
  startsOver: (attempt: VersionAttemptContext) => boolean
  /** Once containers are ready, before clients are served. */
  fill: (attempt: VersionAttemptContext, ready: readonly ObservedReplica[]) => Promise<void>
  /** With the transaction that routes to the new version. */
  commit: RouteAlso
}

const WITHOUT_DATA: DataSteps = {
  prepare: async () => {},
  startsOver: () => false,
  fill: async () => {},
  commit: { appEnv: {}, write: async () => {} },
}

export async function deployWith(started: AttemptContext, data: DataSteps): Promise<void> {
  const { content } = started.operation
  if (!content) throw new Error(`${started.operation.id} names no version to deploy`)
  const attempt = { ...started, content }
  if (!isRolledOut(attempt.appEnv.app)) {
    await withBackgroundReconcile(attempt, () => provideImage(attempt, null))
    return pin(attempt)
  }
  const start = () => startReplicas(attempt, data)
  const ready = needsRecreate(attempt)
    ? await replaceInPlace(attempt, start)
    : await withBackgroundReconcile(attempt, start)
  await route(attempt, ready, data.commit)
}

/** Returns the replicas once they are ready. */
async function startReplicas(attempt: VersionAttemptContext, data: DataSteps): Promise<ObservedReplica[]> {
  await provideImage(attempt, 'create')
  const rollout = await newRollout(attempt)
  await recordDataVersion(attempt)
  const startsOver = data.startsOver(attempt)
  await data.prepare(attempt)
  const isApplied = !startsOver && attempt.steps.isFinished('create')
  const ready = await startAndAwaitReady(attempt, rollout, { detail: `${rollout.replicas} started`, isApplied })
  await finishUpgrade(attempt, ready)
  await data.fill(attempt, ready)
  return ready
}

function newRollout(attempt: VersionAttemptContext): Promise<Rollout> {
  const { requestId, id: rolloutId } = attempt.operation
  const replicas = replicasToStart(attempt)
  return rolloutOf(attempt, attempt.appEnv, { content: attempt.content, rolloutId, requestId, replicas })
}

/** Where requests decide the number, the new version begins with as many as serve them now. */
function replicasToStart(attempt: VersionAttemptContext): number {
  const { appEnv, content } = attempt
  const rule = requestScalingOf(appEnv.app, recordedConfiguration(content))
  if (!rule) return awaitedReplicas({ app: appEnv.app, containers: containersOf(attempt) })
  return Math.max(1, rule.minScale, Math.min(appEnv.replicasDesired, rule.maxScale))
}

/**
 * Once the serving version is stopped, there is nothing to reconcile in the background, and nothing must restart it.
 */
async function replaceInPlace<T>(attempt: VersionAttemptContext, start: () => Promise<T>): Promise<T> {
  await withBackgroundReconcile(attempt, () => provideImage(attempt, 'stop'))
  // Fails where containers of the version cannot be made, while the old ones serve.
  await newRollout(attempt)
  await prepareUpgrade(attempt)
  await stopOtherVersions(attempt)
  return start()
}

async function provideImage(attempt: VersionAttemptContext, next: StepName | null): Promise<void> {
  if (needsBuild(attempt.content)) await build(attempt)
  await push(attempt)
  const isReleased = next !== null && needsRelease(attempt)
  await pull(attempt, isReleased ? 'release' : next)
  if (isReleased) await release(attempt, next)
}

/** Pins the image, so that every container of the version runs the same one, also after a repair. */
async function pull(attempt: VersionAttemptContext, next: StepName | null): Promise<void> {
  const { steps, content } = attempt
  if (steps.isFinished('pull') && content.imageDigest) return
  const isBuilt = content.type === 'BUILD'
  const { pinned, fromCache } = await besideCheckpoint(steps.advance({ start: 'pull' }), attempt.signal, (signal) =>
    resolveVersionImage({ ...attempt, signal, engine: attempt.engineUnder(signal) }, attempt.appEnv, content),
  )
  const image = { imageDigest: pinned, imageFromCache: fromCache && !isBuilt }
  attempt.content = { ...content, ...image }
  const detail = pullDetail(pinned, { fromCache, isBuilt })
  await steps.advance({
    finish: { name: 'pull', detail },
    ...(next ? { start: next } : {}),
    async write(tx) {
      await tx.content.updateMany({ where: { id: content.id }, data: image })
      await tx.content.updateMany({ where: { id: content.id, status: 'BUILT' }, data: { status: 'DEPLOYING' } })
    },
  })
}

function pullDetail(pinned: string, { fromCache, isBuilt }: { fromCache: boolean; isBuilt: boolean }): string {
  if (isBuilt) return `built here: ${pinned}`
  return fromCache ? `no registry answered; the engine's own copy is used: ${pinned}` : `pulled ${pinned}`
}

/** An app that runs only on demand is deployed as soon as its image is pinned. */
async function pin(attempt: VersionAttemptContext): Promise<void> {
  const { content, operation, lease } = attempt
  const now = lease.claim.clock.now()
  await completeOperation(attempt, {
    status: 'RUNNING',
    appEnv: { currentContentId: content.id, rolloutId: operation.id, replicasDesired: 0, health: 'UNKNOWN' },
    finish: [{ name: 'pull', detail: content.imageDigest }],
    write: (tx) =>
      tx.content.updateMany({
        where: { id: content.id },
        data: { status: 'JOB_READY', reason: null, message: null, deployedAt: now, finishedAt: now },
      }),
  })
}
