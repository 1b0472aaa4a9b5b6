import { Failure } from '../../domain/failure.ts'
import { fenced } from '../claim/fenced.ts'
import { type ClaimedAppEnv, type EnvironmentContext, loadClaimedAppEnv } from '../context/environment-context.ts'
import { isRotating, recordRotation, setPasswords } from '../service/rotation.ts'
import { removeReplicas } from '../version/remove-replicas.ts'
import type { Probed } from './replica-states.ts'

/**
 * A rotation whose operation ended early, because another one took its place: the server may have its new passwords, and
 * clients are still given the old ones. Returns how many containers it has removed, to be made again with the new ones.
 */
export async function resumeRotation(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  probed: readonly Probed[],
): Promise<number> {
  const serving = probed.find(({ observed, index }) => index === 0 && observed?.phase === 'running')?.observed
  if (!isRotating(appEnv) || !serving) return 0
  try {
    await setPasswords(context, appEnv, serving)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    context.log.warn({ appEnvId: appEnv.id, reason: error.reason }, await context.quote(error.message))
    return 0
  }
  await fenced(context.database, context.lease, (tx) => recordRotation(tx, appEnv))
  appEnv.serviceCredentials = (await loadClaimedAppEnv(context.database, appEnv.id)).serviceCredentials
  const outdated = probed.flatMap(({ observed }) => observed ?? [])
  await removeReplicas(context, outdated)
  return outdated.length
}
