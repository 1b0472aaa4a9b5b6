import { parseImageReference } from '../../domain/image-reference.ts'
import { loginFor } from '../../domain/registry-login.ts'
import { ImageError, type LocalCopy, type ResolvedImage } from '../../images/image-builder.ts'
import { checkRegistry } from '../../registries/registry-check.ts'
import { registryRules } from '../../registries/registry-rules.ts'
import type { EnvironmentContext } from '../context/environment-context.ts'
import type { LeasedEngine } from '../engine/leased-engine.ts'
import { recordPull, wasPulledBy } from './pulled-images.ts'
import type { RegistryLogins } from './registry-logins.ts'

/** For whom an image is resolved. */
export interface ImageOwner extends Pick<EnvironmentContext, 'database' | 'config' | 'signal'> {
  engine: Pick<LeasedEngine, 'resolveImage' | 'key'>
  accountId: string
}

/**
 * The one way of a tenant's image names to the engine. The registry must be at an address that tenants may name; it
 * gets the login that was made for it, and no other; and what the engine holds already serves whom a registry gave it.
 */
export async function resolveFor(owner: ImageOwner, image: string, logins: RegistryLogins): Promise<ResolvedImage> {
  const unreachable = await whyUnreachable(owner, image)
  const credential = loginFor(image, logins)
  try {
    const resolved = await owner.engine.resolveImage(image, credential, {
      unreachable,
      mayUseCopy: (copy) => mayUseCopy(owner, copy),
    })
    if (!resolved.fromCache) await recordPull(owner.database, owner.accountId, owner.engine.key, resolved)
    return resolved
  } catch (error) {
    throw withLoginHint(error, credential === null ? Object.keys(logins) : [])
  }
}

/** Null: the engine may ask it. Throws ImageError REGISTRY_REFUSED or REGISTRY_BUSY. */
async function whyUnreachable({ config, signal }: ImageOwner, image: string): Promise<string | null> {
  const parsed = parseImageReference(image)
  if ('problem' in parsed) return null
  const { registry } = parsed.reference
  const verdict = await checkRegistry(registry, registryRules(config), signal)
  if (verdict.kind === 'unreachable') return verdict.why
  if (verdict.kind === 'refused') {
    const words = `The image ${image} is not pulled: the registry ${registry} ${verdict.why}`
    throw new ImageError('REGISTRY_REFUSED', `${words}; BERTH_PRIVATE_REGISTRIES lists those that may be`)
  }
  if (verdict.kind === 'busy') {
    const words = `The image ${image} cannot be had: the registry ${registry} limits how often images are pulled`
    throw new ImageError('REGISTRY_BUSY', words, { retryAfterSeconds: verdict.retryAfterSeconds })
  }
  return null
}

const mayUseCopy = async (
  { database, config, engine, accountId }: ImageOwner,
  { imageId, isPulled }: LocalCopy,
): Promise<boolean> =>
  isPulled ? wasPulledBy(database, accountId, engine.key, imageId) : config.BERTH_SHARE_LOCAL_IMAGES

/** The likeliest mistake: the app has a login, but for another registry. */
function withLoginHint(error: unknown, others: readonly string[]): unknown {
  if (!(error instanceof ImageError) || error.reason !== 'IMAGE_UNAUTHORIZED' || others.length === 0) return error
  return new ImageError(error.reason, `${error.message}; the app's credential is for ${others.join(', ')}`)
}
