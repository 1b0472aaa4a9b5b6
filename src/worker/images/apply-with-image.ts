import { type Rollout, RuntimeError } from '../../engines/runtime/container-runtime.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { resolveVersionImage } from './resolve-version-image.ts'

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
