import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { safePath } from '../../builder/archive/entry-rules.ts'
import { DOCKERFILE_NAME } from '../../builder/context/build-context.ts'
import type { FoundImage } from '../../builder/dockerfile/base-images.ts'
import { SECRETS_VERSION } from '../../builder/dockerfile/build-secrets.ts'
import { isReservedArg, parseBuildArgs } from '../../domain/build-args.ts'
import { BuildFailure } from '../../domain/build-failure.ts'
import type { BuildPlan } from '../../domain/build-plan.ts'
import { familiarName } from '../../domain/image-reference.ts'
import type { ImageBuild } from '../../engines/images/image-builder.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { whatRaises } from '../context/build-limits.ts'
import { type ImageOwner, resolveFor } from '../images/image-gate.ts'
import { type RegistryLogins, registryLoginsOf } from '../images/registry-logins.ts'
import { type FetchedBuild, within } from './build-context.ts'
import { writeDockerfile } from './write-dockerfile.ts'

/** The build creates these itself; copies from another machine would be of no use. */
const BROUGHT = ['**/node_modules', '**/.meteor/local']
const CLEAN_UP_SECONDS = 60

/** Has the engine build the source's directory. A failed build leaves nothing behind. */
export async function buildImage(building: FetchedBuild) {
  const { attempt, plan, log, variables, tree, absent, reader, limits } = building
  const { content, appEnv, operation, config, signal } = attempt
  const traits = await attempt.engine.builder((line) => log.write(line))
  if (traits.warning) log.write(`Warning: ${traits.warning}`)
  const { timeoutSeconds, diskMb, ...resources } = limits
  const raises = whatRaises('timeoutSeconds', appEnv, config)
  const late = new BuildFailure('BUILD_TIMEOUT', `The build did not end within ${timeoutSeconds} s; ${raises}`)
  await using deadline = within(signal, timeoutSeconds, late)
  const context = await findContext(building, deadline.signal)
  const cacheScope = traits.cacheScope(appEnv.id)
  const written = await writeDockerfile(building, { context, cacheScope, signal: deadline.signal })
  log.write(`The Dockerfile is ${written.origin}`)
  const isWrittenHere = written.installs
  // A preset has stages of its own.
  const target = isWrittenHere ? null : (plan.buildTarget ?? null)
  const given = {
    ...written,
    isWrittenHere,
    target,
    buildArgs: { ...written.buildArgs, ...buildArgsOf(plan, variables) },
  }
  const logins = await registryLoginsOf(attempt, appEnv, plan.pullCredentialId)
  const name = `berth-${traits.namespace}/${appEnv.cliEnvName}:${content.version}`
  // The context is read while it is built from. When that fails, the engine would wait for the rest of it.
  const reading = new AbortController()
  const engine = attempt.engineUnder(AbortSignal.any([deadline.signal, reading.signal]))
  const labels = traits.stageLabels(appEnv.id)
  const owner = { ...attempt, engine, accountId: appEnv.accountId, signal: deadline.signal }
  const pinning = { owner, logins, labels, isClassic: traits.isClassic, signal: deadline.signal }
  const forBuilder = traits.isApart ? forBuilderApart : forEngineBuilder
  const { dockerfile, ...inputs } = await forBuilder(building, given, pinning)
  const begunAt = new Date()
  failpoint('build.asked', attempt.lease.appEnvId)
  try {
    const options = {
      ignored: written.installs ? BROUGHT : [],
      dockerfilePath: written.path,
      ...(tree === null ? {} : { tree }),
      absent,
      // The programs of a preset run as another user, and a repository has no other modes.
      hasPlainModes: written.installs || plan.source.kind === 'git',
      isForEngine: !traits.isApart,
    }
    const packed = reader.pack({ context, dockerfile, options }, deadline.signal)
    packed.on('error', (error) => reading.abort(error))
    const askedAt = performance.now()
    const { imageId: imageDigest, used } = await engine.build({
      accountId: appEnv.accountId,
      appId: appEnv.appId,
      contentId: content.id,
      operationId: operation.id,
      name,
      context: packed,
      dockerfile: DOCKERFILE_NAME,
      ...inputs,
      ...(target === null ? {} : { target }),
      credentials: logins,
      resources,
      diskMb,
      processes: config.BERTH_BUILD_PROCESSES,
      onLine: (line) => log.write(line),
    })
    const seconds = (performance.now() - askedAt) / 1000
    await assertNotTooLarge(attempt, imageDigest)
    return { image: name, imageDigest, used, seconds }
  } catch (error) {
    await clearAway(attempt, begunAt)
    throw error
  }
}

/** The folder that is built; null when the Dockerfile needs none. */
async function findContext({ plan, tree, reader }: FetchedBuild, signal: AbortSignal): Promise<string | null> {
  if (tree === null) return null
  // Checked again: the answer comes from a process that has read the source.
  return join(tree, safePath(await reader.read('findContext', { tree, contextDir: plan.contextDir }, signal)))
}

interface Pinning extends Omit<Parameters<typeof findBaseImages>[1], 'log'> {
  labels: Readonly<Record<string, string>>
  isClassic: boolean
  signal: AbortSignal
}

interface GivenDockerfile {
  text: string
  /** By a preset or nixpacks: secret variables become mounts. Who wrote it himself has said what he wants. */
  isWrittenHere: boolean
  /** The stage that is wanted; null for the last one. */
  target: string | null
  buildArgs: Readonly<Record<string, string>>
}

interface BuildInputs extends Pick<ImageBuild, 'buildArgs' | 'bases' | 'secrets'> {
  dockerfile: string
}

/** With the images that the Dockerfile needs, as the app may have them: ids on the engine, by BuildKit's names. */
async function forBuilderApart(
  building: FetchedBuild,
  given: GivenDockerfile,
  { owner, logins, signal }: Pinning,
): Promise<BuildInputs> {
  const { reader, log } = building
  const { buildArgs, secrets, text: written } = await withSecrets(building, given, signal)
  const { text: dockerfile, images } = await reader.read(
    'forBuilder',
    { text: written, buildArgs, target: given.target },
    signal,
  )
  const found = await findBaseImages(images, { owner, logins, log: (line) => log.write(line) })
  const bases = Object.fromEntries(Object.entries(found).map(([image, { imageId }]) => [familiarName(image), imageId]))
  return { dockerfile, buildArgs, secrets, bases }
}

/** Secret variables are files for steps that mount them, and arguments only where the Dockerfile declares them so. */
async function withSecrets(
  { reader, plan, variables }: FetchedBuild,
  { text, isWrittenHere, buildArgs }: GivenDockerfile,
  signal: AbortSignal,
) {
  const sealed = plan.variables.filter(({ name, isSecret }) => isSecret && Object.hasOwn(variables, name))
  const names = sealed.map(({ name }) => name)
  if (names.length === 0) return { text, buildArgs, secrets: {} }
  const secrets = Object.fromEntries(names.map((name) => [name, variables[name] ?? '']))
  const declared = isWrittenHere ? [] : await reader.read('declaredVariables', { text, names }, signal)
  const others = Object.entries(buildArgs).filter(([name]) => !names.includes(name) || declared.includes(name))
  const version = hashOf(sealed.map(({ name, fingerprint }) => `${name} ${fingerprint}`).sort())
  return {
    text: isWrittenHere ? await reader.read('mountSecrets', { text, names }, signal) : text,
    buildArgs: { ...Object.fromEntries(others), [SECRETS_VERSION]: version },
    secrets,
  }
}

const hashOf = (parts: readonly string[]): string => createHash('sha256').update(parts.join('\n')).digest('hex')

/** With every image named in full, and with labels on its stages: the engine reaches all that it has. */
async function forEngineBuilder(
  { reader, log }: FetchedBuild,
  { text, buildArgs }: GivenDockerfile,
  { owner, logins, labels, isClassic, signal }: Pinning,
): Promise<BuildInputs> {
  const images = await reader.read('namedImages', { text, buildArgs, isClassic }, signal)
  const found = await findBaseImages(images, { owner, logins, log: (line) => log.write(line) })
  return { dockerfile: await reader.read('pinImages', { text, buildArgs, found, labels }, signal), buildArgs }
}

function buildArgsOf({ buildArgs }: BuildPlan, variables: Readonly<Record<string, string>>): Record<string, string> {
  const parsed = parseBuildArgs(buildArgs)
  if ('problem' in parsed) throw new BuildFailure('BUILD_ARGS_INVALID', `buildArgs ${parsed.problem}`)
  const all = { ...variables, ...parsed.args }
  const reserved = Object.keys(all).find(isReservedArg)
  if (reserved === undefined) return all
  throw new BuildFailure('BUILD_ARGS_INVALID', `A variable of builds must not be called ${reserved}`)
}

/** The engine cannot limit an image's size while it builds, so one that is too large is removed afterwards. */
async function assertNotTooLarge({ engine, config }: VersionAttemptContext, imageId: string): Promise<void> {
  const sizeBytes = await engine.imageSize(imageId)
  const limitMb = config.BERTH_IMAGE_LIMIT_MB
  if (sizeBytes === null || sizeBytes <= limitMb * 1024 * 1024) return
  await engine.removeImage(imageId)
  throw new BuildFailure('IMAGE_TOO_LARGE', `The image is larger than ${limitMb} MB`)
}

/**
 * Not under the attempt's signal: a cancelled build has to be cleaned up too. But only under its lease: another worker
 * may already be building. The sweep removes what this misses.
 */
async function clearAway({ imageBuilder, appEnv, lease, log }: VersionAttemptContext, since: Date): Promise<void> {
  if (!lease.isHeld) return
  await imageBuilder
    .clearBuilds({ appEnvId: appEnv.id, since }, { timeoutSeconds: CLEAN_UP_SECONDS })
    .catch((error: unknown) =>
      log.debug({ err: error, appEnvId: appEnv.id }, 'Cleaning up a build failed; the sweep retries it'),
    )
}

interface BaseImageContext {
  owner: ImageOwner
  logins: RegistryLogins
  log: (line: string) => void
}

/**
 * Pulls every image that a Dockerfile names as the app itself would: with its own credential, or not at all. Left to
 * itself, the engine would use what another tenant has pulled. Returns what was found, by the image's name.
 */
async function findBaseImages(
  images: readonly string[],
  { owner, logins, log }: BaseImageContext,
): Promise<Record<string, FoundImage & { imageId: string }>> {
  const found: Record<string, FoundImage & { imageId: string }> = {}
  for (const image of images) {
    const { pinned, triggers, imageId } = await resolveFor(owner, image, logins)
    const isOwnCopy = pinned.startsWith('sha256:')
    log(`${image} is ${isOwnCopy ? `the engine’s own copy, ${pinned}` : pinned}`)
    // BuildKit does not accept an image id as a name.
    found[image] = { name: isOwnCopy ? image : pinned, triggers, imageId }
  }
  return found
}
