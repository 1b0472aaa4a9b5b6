import { isRouted, requestScalingOf } from '../../app-types/behaviours.ts'
import { commandLine } from '../../domain/command-line.ts'
import { type Configuration, recordedConfiguration } from '../../domain/configuration.ts'
import { replicasHost } from '../../domain/replicas-host.ts'
import { resourcesOf } from '../../domain/resources.ts'
import type { Rollout } from '../../engines/runtime/container-runtime.ts'
import type { Content } from '../../storage/database/generated/prisma/client.ts'
import { VersionFailed } from '../attempt/version-failed.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { type ServiceContainer, serviceContainer } from '../service/service-container.ts'
import { requireOwnData } from '../service/upgrade.ts'
import { containerVariables } from './variables.ts'

interface RolloutChoice {
  content: Content
  rolloutId: string
  requestId: string
  replicas: number
  /** A request waits for it: whatever can be ready is. */
  isAwaited?: boolean
}

/** What the engine is to run for a version, with its secrets opened: never logged, never stored. */
export async function rolloutOf(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  choice: RolloutChoice,
): Promise<Rollout> {
  const { content, rolloutId, requestId, replicas } = choice
  if (!content.imageDigest) throw new Error(`The image of ${content.id} is not pinned`)
  const configuration = recordedConfiguration(content)
  const { startup } = configuration
  const service = serviceContainer(context, appEnv, configuration)
  const variables = await containerVariables(context, appEnv, content)
  return {
    accountId: appEnv.accountId,
    appId: appEnv.appId,
    appEnvId: appEnv.id,
    contentId: content.id,
    rolloutId,
    generation: context.lease.claim.token,
    requestId,
    version: content.version,
    cliEnvName: appEnv.cliEnvName,
    pinnedImage: content.imageDigest,
    command: service ? { entrypoint: [], args: [...service.container.arguments] } : startup && commandLine(startup),
    workingDir: startup?.workingDir ?? null,
    environment: { ...variables, ...service?.container.environment },
    files: service?.container.files ?? [],
    sandbox: service?.sandbox ?? null,
    settings: configuration.containerSettings ?? null,
    stopSeconds: service?.engine.stopSeconds ?? configuration.containerSettings?.stopGraceSeconds ?? null,
    volume: await volumeOf(context, appEnv, configuration),
    // No request may reach a program that does not wait for any.
    port: service || isRouted(appEnv.app, configuration) ? configuration.port : null,
    replicas,
    followers: service && followersOf(service, appEnv),
    resources: resourcesOf(configuration),
    group: groupOf(appEnv),
    heldNetwork: mayJoin(appEnv, configuration) ? (choice.isAwaited ? 'IF_READY' : 'MADE') : 'NONE',
  }
}

/** The network of the installation that the environment is part of. */
const groupOf = ({ networkGroup, networkAliases }: ClaimedAppEnv): Rollout['group'] =>
  networkGroup === null ? null : { id: networkGroup, aliases: networkAliases }

/** Where the container sleeps, unless its connection is unlike others: with a name or a second network of its own. */
export const mayJoin = ({ app, networkGroup }: ClaimedAppEnv, configuration: Configuration): boolean =>
  requestScalingOf(app, configuration)?.minScale === 0 &&
  networkGroup === null &&
  configuration.containerSettings?.hostname === undefined

/**
 * The rollout that serves, with this many replicas, or more: the engine removes those beyond the number at once, and must
 * not cut off those that drain. Of `gone` nothing is left to keep.
 */
export async function servingRollout(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  replicas: number,
  gone: readonly { name: string }[] = [],
): Promise<Rollout> {
  const { currentContent: content, rolloutId } = appEnv
  if (!content || !rolloutId) throw new Error(`${appEnv.id} serves no version`)
  const { requestId } = await context.database.operation.findUniqueOrThrow({ where: { id: rolloutId } })
  const left = new Set(gone.map(({ name }) => name))
  const kept = appEnv.replicas.filter((row) => row.rolloutId === rolloutId && !left.has(row.name))
  const most = Math.max(replicas, ...kept.map(({ index }) => index + 1))
  return rolloutOf(context, appEnv, { content, rolloutId, requestId, replicas: most, isAwaited: true })
}

function followersOf({ follower, facts }: ServiceContainer, { cliEnvName }: ClaimedAppEnv): Rollout['followers'] {
  if (!follower) return null
  return {
    command: { entrypoint: [...follower.entrypoint], args: [...follower.arguments] },
    environment: { ...follower.environment, PRIMARY: cliEnvName },
    files: follower.files,
    dataPath: facts.dataPath,
    alias: replicasHost(cliEnvName),
  }
}

/** A version whose volume was deleted must not get an empty one instead. */
async function volumeOf(
  { database }: EnvironmentContext,
  { app }: ClaimedAppEnv,
  { volume, presetVersion }: Configuration,
): Promise<Rollout['volume']> {
  if (!volume) return null
  const where = { id: volume.id, deletedAt: null }
  const kept = await database.volume.findFirst({ where, select: { presetVersion: true } })
  if (!kept) throw new VersionFailed('VOLUME_DELETED', `The volume ${volume.id} of this version has been deleted`)
  requireOwnData(app, kept.presetVersion, presetVersion)
  return { id: volume.id, path: volume.path }
}
