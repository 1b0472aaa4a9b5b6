import { parseImageReference } from '../../domain/image-reference.ts'
import { loginFor } from '../../domain/registry-login.ts'
import type { RegistrySilence } from '../../domain/registry-silence.ts'
import { ImageError, type LocalCopy, type ResolvedImage } from '../../engines/images/image-builder.ts'
import { checkRegistry, HUB } from '../../network/registries/registry-check.ts'
import { isRegistryListed, registryRules } from '../../network/registries/registry-rules.ts'
import type { Database } from '../../storage/database/client.ts'
import type { EnvironmentContext } from '../context/environment-context.ts'
import type { LeasedEngine } from '../engine/leased-engine.ts'
import type { RegistryLogins } from './registry-logins.ts'

/** For whom an image is resolved. */
export interface ImageOwner extends Pick<EnvironmentContext, 'database' | 'config' | 'signal'> {
  engine: Pick<LeasedEngine, 'resolveImage' | 'key'>
  accountId: string
}

/**
 * The one way of a tenant's image names to the engine. The registry must be at an address that tenants may name; it
 * gets only the login that was created for it; and an image on the engine serves the accounts that a registry gave it to.
 */
export async function resolveFor(owner: ImageOwner, image: string, logins: RegistryLogins): Promise<ResolvedImage> {
  const unreachable = await whyUnreachable(owner, image)
  const credential = loginFor(image, logins)
  try {
    const resolved = await owner.engine.resolveImage(image, credential, {
      unreachable,
      mayUseCopy: (copy) => mayUseCopy(owner, image, copy),
    })
    if (!resolved.fromCache) await recordPull(owner.database, owner.accountId, owner.engine.key, resolved)
    return resolved
  } catch (error) {
    throw withLoginHint(error, credential === null ? Object.keys(logins) : [])
  }
}

/** Null: the engine may ask it. Throws ImageError REGISTRY_REFUSED or REGISTRY_BUSY. */
async function whyUnreachable({ config, signal }: ImageOwner, image: string): Promise<RegistrySilence | null> {
  const parsed = parseImageReference(image)
  if ('problem' in parsed) return null
  const { registry } = parsed.reference
  if (!isRegistryListed(registry, config)) {
    const words = `The image ${image} is not pulled: ${registry} is none of the registries of this installation`
    throw new ImageError(
      'REGISTRY_REFUSED',
      `${words}, which are ${config.BERTH_REGISTRIES.join(', ')} (BERTH_REGISTRIES)`,
    )
  }
  const verdict = await checkRegistry(registry, registryRules(config), signal)
  if (verdict.kind === 'unreachable') return verdict.silence
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

/**
 * A copy that a registry has given serves those to whom it was given, and only while that registry is silent. Any other
 * was put there by the operator for all accounts, unless the engine knows better.
 */
async function mayUseCopy(
  { database, config, engine, accountId }: ImageOwner,
  image: string,
  { imageId, origin, isAfterSilence }: LocalCopy,
): Promise<boolean> {
  const accounts = await accountsThatPulled(database, engine.key, imageId)
  if (accounts.length > 0) return isAfterSilence && accounts.includes(accountId)
  if (origin === 'registry' || !config.BERTH_SHARE_LOCAL_IMAGES) return false
  return origin === 'operator' || isAfterSilence || isOfHubItself(image)
}

/**
 * Docker Hub has nothing private under a name without a slash: a copy there gives away nothing, whichever account
 * pulled it.
 */
function isOfHubItself(image: string): boolean {
  const parsed = parseImageReference(image)
  return (
    'reference' in parsed && parsed.reference.registry === HUB && parsed.reference.repository.startsWith('library/')
  )
}

/** The likeliest mistake: the app has a login, but for another registry. */
function withLoginHint(error: unknown, others: readonly string[]): unknown {
  if (!(error instanceof ImageError) || error.reason !== 'IMAGE_UNAUTHORIZED' || others.length === 0) return error
  return new ImageError(error.reason, `${error.message}; the app's credential is for ${others.join(', ')}`)
}

/**
 * Records that an account was given an image by its registry: from now on, the engine's copy serves it. The image is
 * Berth's to remove if the engine did not have it before the first of these pulls.
 */
export const recordPull = (
  database: Database,
  accountId: string,
  engineKey: string,
  { imageId, isNew }: Pick<ResolvedImage, 'imageId' | 'isNew'>,
): Promise<number> =>
  database.$executeRaw`
    INSERT INTO pulled_image AS known (account_id, image_id, engine_key, is_ours)
    VALUES (${accountId}, ${imageId}, ${engineKey}, ${isNew} OR EXISTS (
      SELECT 1 FROM pulled_image WHERE image_id = ${imageId} AND engine_key = ${engineKey} AND is_ours))
    ON CONFLICT (account_id, image_id, engine_key) DO UPDATE SET pulled_at = now(), is_ours = known.is_ours OR excluded.is_ours`

/** Whom a registry gave an image, on an engine; deleted accounts among them. */
async function accountsThatPulled(database: Database, engineKey: string, imageId: string): Promise<string[]> {
  const records = await database.pulledImage.findMany({ where: { imageId, engineKey }, select: { accountId: true } })
  return records.map(({ accountId }) => accountId)
}
