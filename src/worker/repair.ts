import { RuntimeError } from '../runtime/runtime.ts'
import { credentialOf } from './credential.ts'
import { fenced } from './fenced.ts'
import type { ReplicaPlan } from './replica-plan.ts'
import { rolloutOf } from './rollout.ts'
import type { Work, WorkAppEnv } from './work.ts'

/** Brings back what is missing first, because removing waits for containers to end. */
export async function repair(work: Work, appEnv: WorkAppEnv, plan: ReplicaPlan): Promise<void> {
  if (plan.needsApply) await bringBack(work, appEnv, plan)
  await removeAll(work, plan.surplus)
}

async function bringBack(work: Work, appEnv: WorkAppEnv, plan: ReplicaPlan): Promise<void> {
  const { currentContent: content, rolloutId } = appEnv
  if (!content || !rolloutId) return
  // The engine removes replicas beyond the number at once, and those that drain are not to be cut off.
  const draining = appEnv.replicas.filter((row) => row.rolloutId === rolloutId && !plan.forgotten.includes(row))
  const replicas = Math.max(plan.wanted.length, ...draining.map((row) => row.index + 1))
  const choice = { content, rolloutId, requestId: rolloutId, replicas }
  const rollout = rolloutOf(appEnv, choice, work.vault, work.lease)
  work.log.info({ appEnvId: appEnv.id, contentId: content.id }, 'Containers are brought back')
  try {
    await work.engine.apply(rollout)
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error
    await bringBackWithImage(work, appEnv, rollout, error)
  }
}

/** Images can be removed by hand as well. */
async function bringBackWithImage(
  work: Work,
  appEnv: WorkAppEnv,
  rollout: ReturnType<typeof rolloutOf>,
  cause: RuntimeError,
): Promise<void> {
  try {
    if (cause.reason !== 'IMAGE_NOT_FOUND' || !appEnv.currentContent) throw cause
    await work.engine.resolveImage(rollout.pinnedImage, await credentialOf(work, appEnv, appEnv.currentContent))
    await work.engine.apply(rollout)
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error
    const observedReason = `Containers cannot be brought back: ${error.message}`
    work.log.warn({ appEnvId: appEnv.id, reason: error.reason }, observedReason)
    await fenced(work.database, work.lease, (tx) =>
      tx.appEnv.updateMany({ where: { id: appEnv.id }, data: { observedReason } }),
    )
  }
}

/** Gives containers their grace to end in, all at the same time. */
export async function removeAll(work: Work, replicas: readonly { rolloutId: string; index: number }[]): Promise<void> {
  const grace = work.config.BERTH_STOP_GRACE_SECONDS
  const results = await Promise.allSettled(
    replicas.map(({ rolloutId, index }) => work.engine.remove({ rolloutId, index }, grace)),
  )
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}
