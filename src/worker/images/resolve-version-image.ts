import { recordedConfiguration } from '../../domain/configuration.ts'
import type { ResolvedImage } from '../../engines/images/image-builder.ts'
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
