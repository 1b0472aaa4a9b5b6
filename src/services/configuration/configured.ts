import { getAppType } from '../../app-types/app-types.ts'
import {
  acceptsImage,
  engineOf,
  healthCheckFor,
  isScaledByRequests,
  wantedReplicas,
} from '../../app-types/behaviours.ts'
import { engineVersion } from '../../app-types/engines/engines.ts'
import { effectiveConfig } from '../../app-types/type-config.ts'
import { type BuildSource, recordedPlan } from '../../domain/build-plan.ts'
import {
  type Configuration,
  type ReleaseCommand,
  recordedConfiguration,
  type StartupConfig,
  type TypeConfig,
} from '../../domain/configuration.ts'
import type { ContainerSettings } from '../../domain/container-settings.ts'
import { repositoryKey } from '../../domain/git-push.ts'
import {
  type AppEnvHealthCheck,
  appHealthCheckSettings,
  type HealthCheck,
  mergedHealthCheck,
} from '../../domain/health-check.ts'
import { MASK } from '../../domain/mask.ts'
import { type Effective, type PendingChange, pendingChanges, type ShowVariable } from '../../domain/pending-changes.ts'
import { isOfFork } from '../../domain/pull-request.ts'
import { foreignTransport, isHttpAddress } from '../../domain/repository-address.ts'
import { explicitResources } from '../../domain/resources.ts'
import type { App, Content } from '../../storage/database/generated/prisma/client.ts'
import type { AccountVault, Vault } from '../../storage/secrets/vault.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { planFor, sealedVariablesOf } from './build-plan.ts'

export { MASK }

/** The configuration that the next version of an environment would record. */
export function configurationOf(appEnv: LoadedAppEnv): Configuration {
  const { app } = appEnv
  return {
    // A managed service listens on all ports of its preset, whichever of them the app names.
    port: engineOf(app, appEnv.presetVersion)?.port ?? app.port,
    zClouds: appEnv.zClouds,
    startup: (appEnv.startupConfig as StartupConfig | null) ?? null,
    ...(appEnv.releaseCommand === null ? {} : { release: appEnv.releaseCommand as unknown as ReleaseCommand }),
    ...(appEnv.containerSettings === null
      ? {}
      : { containerSettings: appEnv.containerSettings as unknown as ContainerSettings }),
    resources: explicitResources(appEnv),
    volume: volumeOf(appEnv),
    healthCheck: configuredHealthCheck(appEnv),
    variables: sealedVariablesOf(appEnv),
    imagePullCredentialId: app.imagePullAccountSecretId,
    typeConfig: (appEnv.typeConfig ?? app.typeConfig) as TypeConfig,
    ...(appEnv.presetVersion === null ? {} : { presetVersion: appEnv.presetVersion }),
  }
}

const volumeOf = ({ volume }: Pick<LoadedAppEnv, 'volume'>) =>
  volume ? { id: volume.id, path: volume.path, diskMb: volume.diskMb } : null

/** The app's health check, with what the environment sets for itself. Headers may hold a login: no fork gets the app's. */
export function configuredHealthCheck(appEnv: Pick<LoadedAppEnv, 'app' | 'healthCheck' | 'pullRequest'>): HealthCheck {
  const { app } = appEnv
  const own = (appEnv.healthCheck as AppEnvHealthCheck | null) ?? {}
  const shared = appHealthCheckSettings(app)
  const inherited = isOfFork(appEnv) ? { ...shared, headers: null } : shared
  return healthCheckFor(getAppType(app.type), mergedHealthCheck(inherited, own))
}

/** What may be shown of variables: the values of those that are no secrets. */
export function showVariableOf(vault: Vault, account: { id: string; dataKey: string }): ShowVariable {
  const secrets = new LazyVault(vault, account)
  return (variable) => (variable.isSecret ? MASK : secrets.get().openVariable(variable))
}

/** What is configured and does not run yet. Nothing is pending before the first deployment. */
export function pendingChangesOf(appEnv: LoadedAppEnv, vault: Vault): PendingChange[] {
  const running = appEnv.currentContent
  if (!running) return []
  const plan = recordedPlan(running)
  // A type that always accepts images may also build.
  const useImage = plan ? appEnv.app.useImage : runsImages(appEnv)
  // A type that runs on demand wants no replicas, and a stopped environment none either: that is no change to apply.
  const containers = wantedReplicas(appEnv) || appEnv.containers
  const show = showVariableOf(vault, appEnv.account)
  const changes = pendingChanges(
    {
      ...recordedEffective(appEnv, running),
      // Where requests decide the number, there is no other to apply.
      containers: (!isScaledByRequests(appEnv.app) && appEnv.replicasDesired) || containers,
    },
    {
      image: (useImage && configuredImage(appEnv, running)) || running.image,
      useImage,
      containers,
      configuration: withDefaults(appEnv, configurationOf(appEnv)),
      build: plan && !useImage ? planFor(appEnv, vault, configuredSource(plan.source, appEnv)) : null,
    },
    show,
  )
  return [...changes, ...changedReferences(appEnv, running, changes, show)]
}

/** Whether the next version runs an image that is not built, where nothing says otherwise. */
export const runsImages = ({ app, presetVersion }: Pick<LoadedAppEnv, 'app' | 'presetVersion'>): boolean =>
  acceptsImage(app) || engineOf(app, presetVersion) !== null

/** What a version was recorded with; how many containers it had is not part of it. */
export function recordedEffective(
  appEnv: Pick<LoadedAppEnv, 'app'>,
  content: Pick<Content, 'image'> & Record<'configuration' | 'buildPlan', unknown>,
): Omit<Effective, 'containers'> {
  const build = recordedPlan(content)
  const configuration = withDefaults(appEnv, recordedConfiguration(content))
  return { image: content.image, useImage: build === null, configuration, build }
}

/** With the defaults of what is not set, so that both sides of a change show what applies. */
export const withDefaults = ({ app }: Pick<LoadedAppEnv, 'app'>, configuration: Configuration): Configuration => ({
  ...configuration,
  typeConfig: effectiveConfig(app, configuration.typeConfig, configuration.presetVersion),
})

/** Variables that stay as they are, but stand for credentials that were rotated since the version was recorded. */
function changedReferences(
  { variables }: LoadedAppEnv,
  { createdAt }: Content,
  changes: readonly PendingChange[],
  show: ShowVariable,
): PendingChange[] {
  return variables.flatMap((variable) => {
    const field = `envVars.${variable.name}`
    const { referencesChangedAt: at } = variable
    if (!at || at <= createdAt || changes.some((change) => change.field === field)) return []
    const shown = show(variable)
    return [
      { kind: 'DEPLOY', field, from: shown, to: `${shown} (its credentials were rotated at ${at.toISOString()})` },
    ]
  })
}

/**
 * The image to run next: the one that was set and not applied yet, the running one, or the one from the app's creation.
 */
export const configuredImage = (
  { app, pendingImage, presetVersion }: Pick<LoadedAppEnv, 'app' | 'pendingImage' | 'presetVersion'>,
  running: Content | null,
): string | null =>
  serviceImage({ app, presetVersion }) ??
  pendingImage ??
  (running && !recordedPlan(running) ? running.image : app.image)

/** The image of a managed service's version; null for apps that bring their own program. */
export function serviceImage({ app, presetVersion }: Pick<LoadedAppEnv, 'app' | 'presetVersion'>): string | null {
  const engine = engineOf(app, presetVersion)
  return engine && (engineVersion(engine, presetVersion)?.image ?? null)
}

/** The source that the next build would have, as far as it is shown. An upload counts once a build of it is asked for. */
function configuredSource(source: BuildSource, { app, gitBranch: branch }: LoadedAppEnv): BuildSource {
  const repository = source.kind === 'upload' || app.isCliDeployment ? null : repositoryNamed(app)
  if (source.kind === 'git')
    return { ...source, branch, url: repository === null || isOf(source.url, repository) ? source.url : repository }
  if (repository === null) return source
  return { kind: 'git', url: repository, branch, commit: null, installationId: app.gitInstallationId }
}

/** Its address, or its names, which stand for an address at the git provider. */
const repositoryNamed = ({ gitRepo, gitNamespace }: App): string | null =>
  gitRepo === null || isAddress(gitRepo) ? gitRepo : `${gitNamespace}/${gitRepo}`

const isAddress = (repository: string): boolean => isHttpAddress(repository) || foreignTransport(repository) !== null

function isOf(url: string, repository: string): boolean {
  const key = repositoryKey(url)
  if (isAddress(repository)) return url === repository || (key !== null && key === repositoryKey(repository))
  return key?.endsWith(`/${repository.replace(/\.git$/, '').toLowerCase()}`) ?? true
}

/** Most environments have no changed variable to show, so they need no key at all. */
class LazyVault {
  readonly #open: () => AccountVault
  #vault: AccountVault | undefined

  constructor(vault: Vault, account: { id: string; dataKey: string }) {
    this.#open = () => vault.forAccount(account)
  }

  get(): AccountVault {
    this.#vault ??= this.#open()
    return this.#vault
  }
}
