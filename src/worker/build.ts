import { DOCKERFILE_NAME, packContext } from '../builder/build-context.ts'
import { buildKeyOf } from '../builder/build-key.ts'
import { contextFolder } from '../builder/dockerfile.ts'
import { labelStages } from '../builder/dockerfile-labels.ts'
import { type LocatedSource, locateSource } from '../builder/locate-source.ts'
import { parseBuildArgs } from '../domain/build-args.ts'
import { BuildFailure } from '../domain/build-failure.ts'
import type { BuildPlan } from '../domain/build-plan.ts'
import { resourcesOf } from '../domain/resources.ts'
import { RuntimeError } from '../runtime/runtime.ts'
import type { VersionAttempt } from './attempt.ts'
import { BuildLog } from './build-log.ts'
import { registryLoginOf } from './credential.ts'
import { configurationOf } from './rollout.ts'
import { sourceToolsOf } from './source-tools.ts'
import { openWorkplace } from './workplace.ts'
import { writeDockerfile } from './write-dockerfile.ts'

const LAST_LINES = 10
/** What a build makes anew, and another machine's is no use to it. */
const BROUGHT = ['**/node_modules', '**/.meteor/local']
const CLEAN_UP_SECONDS = 60

/** A version that is built from source, and has no image yet. */
export const needsBuild = ({ buildPlan, imageDigest }: VersionAttempt['content']): boolean =>
  buildPlan !== null && imageDigest === null

/** What one build works with. */
interface Building {
  attempt: VersionAttempt
  plan: BuildPlan
  log: BuildLog
  /** Values of the BUILD variables, by name. */
  variables: Readonly<Record<string, string>>
  directory: string
}

/**
 * Makes the version's image from its source, or finds that one of the same source is there. Whatever comes of it,
 * nothing is left of the work but the image and the log. Throws BuildFailure.
 */
export async function build(attempt: VersionAttempt): Promise<void> {
  const { steps, config, lease, operation } = attempt
  const plan = planOf(attempt)
  await steps.advance({ start: 'source' })
  const leave = await attempt.builds.take(attempt.signal, (position) => tellPosition(attempt, position))
  try {
    await using workplace = await openWorkplace(config, operation.id, lease.claim.token)
    const variables = openBuildVariables(attempt)
    const log = await openLog(attempt)
    const building = { attempt, plan, log, variables: variables, directory: workplace.directory }
    try {
      await makeImage(building)
      log.write('The image is built')
    } catch (error) {
      throw tell(building, error)
    } finally {
      await log.close()
    }
  } finally {
    leave()
  }
}

/** A build that goes on where another worker's was cut off builds the commit that was recorded then. */
function planOf({ content }: VersionAttempt): BuildPlan {
  const plan = content.buildPlan as unknown as BuildPlan
  if (plan.source.kind !== 'git' || !content.gitCommitId) return plan
  return { ...plan, source: { ...plan.source, commit: content.gitCommitId } }
}

function tellPosition({ steps, log }: VersionAttempt, position: number): void {
  const words = `waiting for a place to build; position ${position} in the queue`
  steps.detail('source', words).catch((error: unknown) => log.debug({ err: error }, 'A position was not recorded'))
}

function openBuildVariables({ content, vault, appEnv }: VersionAttempt): Record<string, string> {
  const { variables } = configurationOf(content)
  const secrets = vault.forAccount(appEnv.account)
  const read = variables.filter(({ type }) => type !== 'DEPLOY')
  return Object.fromEntries(read.map((variable) => [variable.name, secrets.openVariable(variable)]))
}

function openLog({ database, content, config, lease, vault, appEnv }: VersionAttempt): Promise<BuildLog> {
  const accountVault = vault.forAccount(appEnv.account)
  const secrets = configurationOf(content).variables.filter(({ isSecret }) => isSecret)
  return BuildLog.open({
    database,
    contentId: content.id,
    maxLines: config.BERTH_BUILD_LOG_LINES,
    secrets: secrets.map((variable) => accountVault.openVariable(variable)),
    now: () => lease.claim.clock.now(),
  })
}

async function makeImage(building: Building): Promise<void> {
  const { attempt, plan, log, directory } = building
  const { config } = attempt
  const late = new BuildFailure(
    'SOURCE_TIMEOUT',
    `The source was not there after ${config.BERTH_SOURCE_TIMEOUT_SECONDS} s`,
  )
  await using deadline = within(attempt.signal, config.BERTH_SOURCE_TIMEOUT_SECONDS, late)
  const source = await locateSource(plan.source, directory, sourceToolsOf(config, deadline.signal))
  log.write(`Building ${source.about}`)
  const buildKey = buildKeyOf(plan, source.identity, configurationOf(attempt.content).variables)
  if (!plan.isForced && (await reuse(building, source, buildKey))) return
  const tree = await source.fetch()
  await recordSource(attempt, source)
  const image = await buildTree(building, tree)
  await recordImage(attempt, { ...image, buildKey }, `built ${image.imageDigest}`)
}

/** Takes the image of a version that was built from the very same. */
async function reuse({ attempt, log }: Building, source: LocatedSource, buildKey: string): Promise<boolean> {
  const { database, content, engine, appEnv } = attempt
  const same = await database.content.findFirst({
    where: { appEnvId: appEnv.id, buildKey, imageDigest: { not: null }, id: { not: content.id } },
    orderBy: { version: 'desc' },
  })
  const images = same ? await engine.builtImages() : []
  if (!same?.imageDigest || !images.some(({ id }) => id === same.imageDigest)) return false
  const words = `nothing has changed since version ${same.version}, whose image is used again`
  log.write(words)
  await recordSource(attempt, source)
  await recordImage(attempt, { image: same.image, imageDigest: same.imageDigest, buildKey }, words)
  return true
}

function recordSource(attempt: VersionAttempt, { about, branch, commit }: LocatedSource): Promise<void> {
  const { content } = attempt
  const data = { gitBranch: branch, gitCommitId: commit }
  attempt.content = { ...content, ...data }
  return attempt.steps.advance({
    finish: { name: 'source', detail: about },
    start: 'build',
    write: (tx) => tx.content.updateMany({ where: { id: content.id }, data }),
  })
}

function recordImage(
  attempt: VersionAttempt,
  data: { image: string; imageDigest: string; buildKey: string },
  detail: string,
): Promise<void> {
  const { content } = attempt
  attempt.content = { ...content, ...data }
  return attempt.steps.advance({
    finish: { name: 'build', detail },
    write: (tx) => tx.content.updateMany({ where: { id: content.id }, data: { ...data, status: 'BUILT' } }),
  })
}

async function buildTree(building: Building, tree: string | null) {
  const { attempt, plan, log, variables } = building
  const { content, appEnv, operation, config, signal } = attempt
  const context = tree === null ? null : await contextFolder(tree, plan.contextDir)
  const traits = await attempt.engine.builder()
  const seconds = config.BERTH_BUILD_TIMEOUT_SECONDS
  const late = new BuildFailure('BUILD_TIMEOUT', `The build did not end within ${seconds} s`)
  await using deadline = within(signal, seconds, late)
  const cacheScope = traits.cacheScope(appEnv.id)
  const written = await writeDockerfile(building, { tree, context, cacheScope, signal: deadline.signal })
  log.write(`The Dockerfile is ${written.origin}`)
  const buildArgs = parseBuildArgs(plan.buildArgs)
  if ('problem' in buildArgs) throw new BuildFailure('BUILD_ARGS_INVALID', `buildArgs ${buildArgs.problem}`)
  const labelled = labelStages(written.text, traits.stageLabels(appEnv.id))
  const name = `berth-${traits.namespace}/${appEnv.cliEnvName}:${content.version}`
  const begunAt = new Date()
  try {
    const imageDigest = await attempt.engineUnder(deadline.signal).build({
      accountId: appEnv.accountId,
      appId: appEnv.appId,
      contentId: content.id,
      operationId: operation.id,
      name,
      context: packContext(context, labelled, { ignored: written.installs ? BROUGHT : [] }),
      dockerfile: DOCKERFILE_NAME,
      buildArgs: { ...written.buildArgs, ...variables, ...buildArgs.args },
      credentials: await registryLoginOf(attempt, plan.pullCredentialId),
      resources: resourcesOf(config.BERTH_BUILD_Z_CLOUDS),
      onLine: (line) => log.write(line),
    })
    await assertNotTooLarge(attempt, imageDigest)
    return { image: name, imageDigest }
  } catch (error) {
    await clearAway(attempt, begunAt)
    throw error
  }
}

/** What no quota of the engine keeps small is at least not deployed, and not kept. */
async function assertNotTooLarge({ engine, config }: VersionAttempt, imageId: string): Promise<void> {
  const image = (await engine.builtImages()).find(({ id }) => id === imageId)
  const limitMb = config.BERTH_IMAGE_LIMIT_MB
  if (!image || image.sizeBytes <= limitMb * 1024 * 1024) return
  await engine.removeImage(imageId)
  throw new BuildFailure('IMAGE_TOO_LARGE', `The image is larger than ${limitMb} MB`)
}

/** Not under the attempt's own signal: what was cancelled has to be cleared away too. The sweep does what fails here. */
async function clearAway({ runtime, appEnv, log }: VersionAttempt, since: Date): Promise<void> {
  await runtime
    .clearBuilds({ appEnvId: appEnv.id, since }, { timeoutSeconds: CLEAN_UP_SECONDS })
    .catch((error: unknown) => log.debug({ err: error, appEnvId: appEnv.id }, 'A build could not be cleared away yet'))
}

/** A signal that also fires, with the reason given, when the time is up. */
function within(signal: AbortSignal, seconds: number, reason: Error) {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(reason), seconds * 1000)
  return {
    signal: AbortSignal.any([signal, late.signal]),
    [Symbol.asyncDispose]: async () => clearTimeout(timer),
  }
}

/** Puts the failure into the log; of a failed build, the reason also says what it printed last. */
function tell({ log }: Building, error: unknown): unknown {
  if (error instanceof RuntimeError && error.reason === 'BUILD_FAILED') {
    const lines = log.last(LAST_LINES).join('\n')
    log.write(`The build failed: ${error.message}`)
    return new BuildFailure('BUILD_FAILED', `${error.message}\n${lines}`)
  }
  if (error instanceof BuildFailure) log.write(`The build failed (${error.reason}): ${error.message}`)
  return error
}
