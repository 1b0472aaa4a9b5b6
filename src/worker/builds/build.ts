import { buildKeyOf } from '../../builder/build-key.ts'
import { type LocatedSource, locateSource } from '../../builder/locate-source.ts'
import { startSourceReader } from '../../builder/source-reader/start-source-reader.ts'
import { BuildFailure } from '../../domain/build-failure.ts'
import { type BuildPlan, type BuildSource, recordedPlan } from '../../domain/build-plan.ts'
import { type BuildUse, buildUseInWords, recordedBuildUse } from '../../domain/build-use.ts'
import { Failure } from '../../domain/failure.ts'
import { type GitCommit, parseCommit, recordedCommit } from '../../domain/git-commit.ts'
import { ImageError } from '../../engines/images/image-builder.ts'
import { failpoint } from '../../fault-injection/failpoint.ts'
import { jsonOrNull } from '../../storage/database/json.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { buildLimitsOf, whatRaises } from '../context/build-limits.ts'
import { BuildLogStream } from '../logs/build-log-stream.ts'
import { plainText } from '../text/plain-text.ts'
import { buildVariables } from '../version/variables.ts'
import { acquireBuildSlot } from './acquire-build-slot.ts'
import { recordCacheSize } from './build-cache.ts'
import { type BuildContext, within } from './build-context.ts'
import { openBuildDirectory } from './build-directory.ts'
import { buildImage } from './build-image.ts'
import { BuildLog } from './build-log.ts'
import { meterBuild } from './meter-build.ts'
import { readerLimitsOf, sourceLimitsOf } from './source-limits.ts'

/** A failed command is quoted in full by the engine; its beginning and its exit code are what matters. */
const COMMAND_CHARACTERS = { first: 180, last: 60 }

/** True for a version that is built from source and has no image yet. */
export const needsBuild = ({ buildPlan, imageDigest }: VersionAttemptContext['content']): boolean =>
  buildPlan !== null && imageDigest === null

/**
 * Builds the version's image, or reuses one built from the same source. Leaves nothing but the image and the log,
 * whatever happens. Throws BuildFailure.
 */
export async function build(attempt: VersionAttemptContext): Promise<void> {
  const { steps, config, lease, operation } = attempt
  const plan = planOf(attempt)
  await steps.advance({ start: 'source' })
  await using _slot = await acquireBuildSlot(attempt)
  await using buildDirectory = await openBuildDirectory(config, operation.id, lease.claim.token)
  failpoint('build-directory.created', lease.appEnvId)
  const variables = await buildVariables(attempt, attempt.appEnv, attempt.content, plan.variables)
  const log = await openLog(attempt)
  const building = { attempt, plan, log, variables, directory: buildDirectory.directory }
  try {
    await meterBuild(attempt, () => makeImage(building))
    log.write('The image is built')
  } catch (error) {
    throw withLog(building, error)
  } finally {
    await log.close()
    failpoint('log.closed', lease.appEnvId)
  }
}

/** A successor of an attempt that was cut off builds the commit recorded then. */
function planOf({ content }: VersionAttemptContext): BuildPlan {
  const plan = recordedPlan(content)
  if (!plan) throw new Error(`${content.id} is not built from source`)
  if (plan.source.kind !== 'git' || !content.gitCommitId) return plan
  return { ...plan, source: { ...plan.source, commit: content.gitCommitId } }
}

async function openLog(context: VersionAttemptContext): Promise<BuildLog> {
  const { database, content, config, lease, operation, mask } = context
  const leaseSeconds = config.BERTH_LEASE_SECONDS
  const options = { maxLines: config.BERTH_BUILD_LOG_LINES, mask: await mask(), now: () => lease.claim.clock.now() }
  const stream = await BuildLogStream.open({ database, lease, contentId: content.id, leaseSeconds })
  const attempt = { number: operation.attempt + 1, of: operation.maxAttempts, earlier: await stream.earlier() }
  const log = new BuildLog({ stream, attempt, ...options })
  log.takeOver()
  return log
}

async function makeImage(building: BuildContext): Promise<void> {
  const { attempt, plan, log, directory } = building
  const { config, appEnv } = attempt
  const limits = buildLimitsOf(appEnv, config)
  const late = new BuildFailure(
    'SOURCE_TIMEOUT',
    `The source was not there after ${config.BERTH_SOURCE_TIMEOUT_SECONDS} s`,
  )
  await using deadline = within(attempt.signal, config.BERTH_SOURCE_TIMEOUT_SECONDS, late)
  await assertOwnInstallation(attempt, plan.source)
  const source = await locateSource(plan.source, directory, sourceLimitsOf(config, deadline.signal))
  log.write(`Building ${source.about}`)
  const buildKey = buildKeyOf(plan, source.identity)
  if (!plan.isForced && (await reuse(building, source, buildKey))) return
  // While the source is fetched, the process starts.
  await using reader = startSourceReader(directory, readerLimitsOf(config, limits))
  const fetched = await source.fetch(reader)
  const { folder: tree, absent, commit } = fetched ?? { folder: null, absent: [], commit: null }
  failpoint('source.fetched', attempt.lease.appEnvId)
  const shown = (text: string) => plainText(text, (unmasked) => log.masked(unmasked))
  await recordSource(attempt, source, commit === null ? null : parseCommit(commit, shown))
  const { image, imageDigest, used, seconds } = await buildImage({ ...building, tree, absent, reader, limits })
  failpoint('build.answered', attempt.lease.appEnvId)
  if (used) log.write(buildUseInWords(used, seconds))
  const use = used && {
    cacheBytes: used.cacheBytes,
    recorded: recordedBuildUse(used, (name) => plainText(name, (text) => log.masked(text))),
  }
  await recordImage(attempt, { image, imageDigest, buildKey, use }, `built ${imageDigest}`)
  failpoint('image.recorded', attempt.lease.appEnvId)
}

/** Reuses the image of a version that was built from identical input. */
async function reuse({ attempt, log }: BuildContext, source: LocatedSource, buildKey: string): Promise<boolean> {
  const { database, content, engine, appEnv } = attempt
  const same = await database.content.findFirst({
    where: { appEnvId: appEnv.id, buildKey, imageDigest: { not: null }, id: { not: content.id } },
    orderBy: { version: 'desc' },
  })
  const images = same ? await engine.builtImages() : []
  if (!same?.imageDigest || !images.some(({ id }) => id === same.imageDigest)) return false
  const words = `nothing has changed since version ${same.version}, whose image is used again`
  log.write(words)
  await recordSource(attempt, source, same.gitCommitId === source.commit ? recordedCommit(same) : null)
  await recordImage(attempt, { image: same.image, imageDigest: same.imageDigest, buildKey }, words)
  return true
}

function recordSource(
  attempt: VersionAttemptContext,
  { about, branch, commit }: LocatedSource,
  gitCommit: GitCommit | null,
): Promise<void> {
  const { content } = attempt
  attempt.content = { ...content, gitBranch: branch, gitCommitId: commit, gitCommit: gitCommit as object | null }
  const data = { gitBranch: branch, gitCommitId: commit, gitCommit: jsonOrNull(gitCommit) }
  return attempt.steps.advance({
    finish: { name: 'source', detail: about },
    start: 'build',
    write: (tx) => tx.content.updateMany({ where: { id: content.id }, data }),
  })
}

interface MadeImage {
  image: string
  imageDigest: string
  buildKey: string
  /** What its build has used; null where nothing was built, or the builder does not report it. */
  use?: { recorded: BuildUse; cacheBytes: number } | null
}

function recordImage(
  attempt: VersionAttemptContext,
  { use = null, ...data }: MadeImage,
  detail: string,
): Promise<void> {
  const { content, appEnv, engine } = attempt
  attempt.content = { ...content, ...data }
  const built = { ...data, buildUse: jsonOrNull(use?.recorded), status: 'BUILT' as const }
  const owner = { accountId: appEnv.accountId, engineKey: engine.key }
  return attempt.steps.advance({
    finish: { name: 'build', detail },
    async write(tx) {
      await tx.content.updateMany({ where: { id: content.id }, data: built })
      if (use) await recordCacheSize(tx, owner, use.cacheBytes)
    },
  })
}

/**
 * Writes the failure to the log. The message of a failed build also quotes its first lines with errors and its last
 * ones. All who may see the environment read it, so secrets are masked.
 */
function withLog({ log, attempt }: BuildContext, error: unknown): unknown {
  const { appEnv, config } = attempt
  const { attempt: before, maxAttempts } = attempt.operation
  const isRetried = error instanceof Failure && !error.isFinal && before + 1 < maxAttempts
  if (error instanceof ImageError) {
    const message = log.masked(error.message)
    const hint = error.limit ? `; ${whatRaises(error.limit, appEnv, config)}` : ''
    const lines = error.reason === 'BUILD_FAILED' ? log.excerpt() : []
    log.fail(error.reason, message + hint, { isRetried })
    return new ImageError(error.reason, [shortened(message) + hint, ...lines].join('\n'), error)
  }
  if (!(error instanceof BuildFailure)) return error
  const message = log.masked(error.message)
  log.fail(error.reason, message, { isRetried })
  return new BuildFailure(error.reason, message)
}

function shortened(message: string): string {
  const { first, last } = COMMAND_CHARACTERS
  return message.length <= first + last ? message : `${message.slice(0, first)} … ${message.slice(-last)}`
}

/**
 * The App's key reads every repository that it was given: it is used only for an installation that the account has
 * proved to be its own, whenever the app was created. Throws SOURCE_REFUSED.
 */
export async function assertOwnInstallation(
  {
    database,
    config,
    appEnv: { accountId },
  }: Pick<VersionAttemptContext, 'database' | 'config'> & { appEnv: { accountId: string } },
  source: BuildSource,
): Promise<void> {
  if (source.kind !== 'git' || !source.installationId || !config.BERTH_GITHUB_APP_ID) return
  // The token goes to GitHub alone.
  if (!source.url.startsWith(`${config.BERTH_GITHUB_URL.replace(/\/$/, '')}/`)) return
  const { installationId } = source
  const key = { installationId, accountId }
  if (await database.gitInstallation.findUnique({ where: { installationId_accountId: key } })) return
  throw new BuildFailure(
    'SOURCE_REFUSED',
    `The account has not proved that the GitHub App installation ${installationId} is its own: call connectGitInstallation, then build again`,
  )
}
