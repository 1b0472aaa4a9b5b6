import { recordedConfiguration } from '../../domain/configuration.ts'
import type { ResolvedImage } from '../../engines/images/image-builder.ts'
import { type Rollout, RuntimeError } from '../../engines/runtime/container-runtime.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'
import type { WorkLease } from '../claim/lease.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { resolveBuilt } from '../version/pushed-image.ts'
import { resolveFor } from './image-gate.ts'
import { registryLoginsOf } from './registry-logins.ts'

/** The image of a version, which is pinned from its first deployment on. */
export async function resolveVersionImage(
  context: EnvironmentContext<WorkLease>,
  appEnv: ClaimedAppEnv,
  content: Content,
): Promise<ResolvedImage> {
  if (content.type === 'BUILD') return resolveBuilt(context, content)
  const logins = await registryLoginsOf(context, appEnv, recordedConfiguration(content).imagePullCredentialId)
  return resolveFor({ ...context, accountId: appEnv.accountId }, content.imageDigest ?? content.image, logins)
}

/** The image may have been removed by hand. */
export async function applyWithImage(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  content: Content,
  rollout: Rollout,
): Promise<void> {
  try {
    await context.engine.apply(rollout)
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.reason !== 'IMAGE_NOT_FOUND') throw error
    await resolveVersionImage(context, appEnv, content)
    await context.engine.apply(rollout)
  }
}
