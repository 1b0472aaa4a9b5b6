import type { Config } from '../../config/config.ts'
import { isPushedTo } from '../../domain/pushed-image.ts'
import { ImageError, type RegistryCredential, type ResolvedImage } from '../../engines/images/image-builder.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import type { EnvironmentContext } from '../context/environment-context.ts'

/** The repository that built images are pushed to, with its login; null when none is configured. */
function registryOf({ BERTH_PUSH_REPOSITORY: repository, ...config }: Config) {
  if (!repository) return null
  const { BERTH_PUSH_USERNAME: username, BERTH_PUSH_PASSWORD: password } = config
  const credential: RegistryCredential | null = username && password ? { username, password } : null
  return {
    repository,
    credential,
    has: ({ image }: Content) => isPushedTo(repository, image),
  }
}

/**
 * Pushes a built image to the registry, if one is configured, before the version serves. When that fails, so does the
 * version.
 */
export async function push(attempt: VersionAttemptContext): Promise<void> {
  const { steps, engine, content, config, appEnv } = attempt
  const registry = registryOf(config)
  if (!registry || content.type !== 'BUILD' || !content.imageDigest || registry.has(content)) return
  await steps.advance({ start: 'push' })
  const name = `${registry.repository}/${appEnv.cliEnvName}:${content.version}`
  const image = await engine.pushImage({ id: content.imageDigest, name, credential: registry.credential })
  attempt.content = { ...content, image }
  await steps.advance({
    finish: { name: 'push', detail: `pushed as ${image}` },
    write: (tx) => tx.content.updateMany({ where: { id: content.id }, data: { image } }),
  })
}

/** A built image as the engine has it; pulled back from the registry when the engine has lost it. */
export async function resolveBuilt(
  { engine, config }: Pick<EnvironmentContext, 'engine' | 'config'>,
  content: Content,
): Promise<ResolvedImage> {
  const id = content.imageDigest ?? content.image
  try {
    return await engine.resolveImage(id, null)
  } catch (error) {
    const registry = registryOf(config)
    const isGone = error instanceof ImageError && error.reason === 'IMAGE_NOT_FOUND'
    if (!isGone || !registry?.has(content)) throw error
    await engine.resolveImage(content.image, registry.credential)
    return await engine.resolveImage(id, null)
  }
}
