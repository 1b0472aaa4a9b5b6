import { servingReplicas } from '../app-types/app-types.ts'
import type { Attempt, VersionAttempt } from './attempt.ts'
import { awaitReady } from './await-ready.ts'
import { build, needsBuild } from './build.ts'
import { credentialOf } from './credential.ts'
import { rolloutOf } from './rollout.ts'
import { route } from './route.ts'
import { succeed } from './settle.ts'
import { withUpkeep } from './upkeep.ts'

/**
 * Brings a version about, or back: build where there is a source, pull, create, ready, route. Up to the last transaction, the version that serves
 * is left as it is, so wherever this fails or is cut off, nothing has happened to it.
 */
export async function deploy(started: Attempt): Promise<void> {
  const { content } = started.operation
  if (!content) throw new Error(`${started.operation.id} names no version to deploy`)
  const attempt = { ...started, content }
  const replicas = servingReplicas(attempt.appEnv)
  const ready = await withUpkeep(attempt, async () => {
    if (needsBuild(attempt.content)) await build(attempt)
    await pull(attempt, replicas)
    if (replicas === 0) return null
    const { requestId, id: rolloutId } = attempt.operation
    const choice = { content: attempt.content, rolloutId, requestId, replicas }
    const rollout = rolloutOf(attempt.appEnv, choice, attempt.vault, attempt.lease)
    if (!attempt.steps.isFinished('create')) await attempt.engine.apply(rollout)
    await attempt.steps.advance({ finish: { name: 'create', detail: `${replicas} started` }, start: 'ready' })
    return awaitReady(attempt, rollout)
  })
  if (ready) await route(attempt, ready)
  else await pin(attempt)
}

/** Pins the image, so that every container of the version, now or after a repair, runs the same. */
async function pull(attempt: VersionAttempt, replicas: number): Promise<void> {
  const { steps, engine, content } = attempt
  if (steps.isFinished('pull') && content.imageDigest) return
  await steps.advance({ start: 'pull' })
  const isBuilt = content.type === 'BUILD'
  const credential = isBuilt ? null : await credentialOf(attempt, attempt.appEnv, content)
  const { pinned, fromCache } = await engine.resolveImage(content.imageDigest ?? content.image, credential)
  const image = { imageDigest: pinned, imageFromCache: fromCache && !isBuilt }
  attempt.content = { ...content, ...image }
  const detail = pullDetail(pinned, { fromCache, isBuilt })
  await steps.advance({
    finish: { name: 'pull', detail },
    ...(replicas > 0 ? { start: 'create' } : {}),
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

/** What only runs when it is told to is in place as soon as its image is. */
async function pin(attempt: VersionAttempt): Promise<void> {
  const { content, operation, lease } = attempt
  const now = lease.claim.clock.now()
  await succeed(attempt, {
    status: 'RUNNING',
    appEnv: { currentContentId: content.id, rolloutId: operation.id, replicasDesired: 0, health: 'UNKNOWN' },
    finish: [{ name: 'pull', detail: content.imageDigest }],
    write: (tx) =>
      tx.content.updateMany({
        where: { id: content.id },
        data: { status: 'JOB_READY', deployedAt: now, finishedAt: now },
      }),
  })
}
