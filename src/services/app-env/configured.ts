import { acceptsImage } from '../../app-types/app-types.ts'
import type { BuildPlan, BuildSource } from '../../domain/build-plan.ts'
import type { BuildSettings, Configuration, HealthCheck, StartupConfig } from '../../domain/configuration.ts'
import { type AppEnvHealthCheck, PROBES } from '../../domain/health-check.ts'
import { type PendingChange, pendingChanges } from '../../domain/pending-changes.ts'
import type { AccountVault, Vault } from '../../secrets/vault.ts'
import { planFor } from '../lifecycle/build-plan.ts'
import type { LoadedAppEnv } from './load-app-env.ts'

export const MASK = '***SECRET***'

type ConfiguredAppEnv = Pick<
  LoadedAppEnv,
  | 'app'
  | 'variables'
  | 'zClouds'
  | 'cpu'
  | 'memoryMb'
  | 'volume'
  | 'healthCheck'
  | 'startupConfig'
  | 'jobConfig'
  | 'functionConfig'
  | 'gitBranch'
>

/** The configuration that the next version of an environment would record. */
export function configurationOf(appEnv: ConfiguredAppEnv): Configuration {
  const { app } = appEnv
  return {
    port: app.port,
    zClouds: appEnv.zClouds,
    startup: (appEnv.startupConfig as StartupConfig | null) ?? null,
    resources: explicitResources(appEnv),
    volume: volumeOf(appEnv),
    healthCheck: healthCheckOf(appEnv),
    variables: appEnv.variables.map(({ id, name, type, isSecret, sealedValue, fingerprint }) => {
      return { id, name, type, isSecret, sealedValue, fingerprint }
    }),
    imagePullCredentialId: app.imagePullAccountSecretId,
    jobConfig: (appEnv.jobConfig ?? app.jobConfig ?? null) as Record<string, unknown> | null,
    functionConfig: (appEnv.functionConfig ?? app.functionConfig ?? null) as Record<string, unknown> | null,
    build: buildSettingsOf(appEnv),
  }
}

const explicitResources = ({ cpu, memoryMb }: Pick<ConfiguredAppEnv, 'cpu' | 'memoryMb'>) =>
  cpu === null || memoryMb === null ? null : { cpu, memoryMb }

const volumeOf = ({ volume }: Pick<ConfiguredAppEnv, 'volume'>) =>
  volume ? { id: volume.id, path: volume.path, diskMb: volume.diskMb } : null

/** The app's health check, with what the environment sets for itself. */
function healthCheckOf({ app, healthCheck }: Pick<ConfiguredAppEnv, 'app' | 'healthCheck'>): HealthCheck {
  const own = (healthCheck as AppEnvHealthCheck | null) ?? {}
  return {
    path: own.path ?? app.healthCheckPath,
    port: own.port ?? app.healthCheckPort,
    headers: own.headers ?? (app.healthCheckHeaders as Record<string, string> | null) ?? {},
    ...Object.fromEntries(PROBES.flatMap((name) => (own[name] ? [[name, own[name]]] : []))),
  }
}

const buildSettingsOf = ({ app, gitBranch }: Pick<ConfiguredAppEnv, 'app' | 'gitBranch'>): BuildSettings => ({
  dockerPreset: app.dockerPreset,
  dockerPresetVersion: app.dockerPresetVersion,
  builder: app.builder,
  gitBranch,
  contextDir: app.contextDir,
  dockerfilePath: app.dockerfilePath,
  customDockerfileContent: app.customDockerfileContent,
  buildArgs: app.buildArgs,
  pullCredentialId: app.buildPullAccountSecretId,
})

/** What is configured and does not run yet. Nothing is pending before the first deployment. */
export function pendingChangesOf(appEnv: LoadedAppEnv, vault: Vault): PendingChange[] {
  const running = appEnv.currentContent
  if (!running) return []
  const runningPlan = running.buildPlan as unknown as BuildPlan | null
  const secrets = new LazyVault(vault, appEnv.account)
  return pendingChanges(
    {
      image: running.image,
      useImage: running.type === 'IMAGE_FROM',
      // None are desired while stopped, and none ever for a type that does not serve: that is no change to apply.
      containers: appEnv.replicasDesired || appEnv.containers,
      configuration: running.configuration as unknown as Configuration,
      build: runningPlan,
    },
    {
      image: appEnv.pendingImage ?? running.image,
      // A type that always takes images may as well be built.
      useImage: runningPlan ? appEnv.app.useImage : acceptsImage(appEnv.app),
      containers: appEnv.containers,
      configuration: configurationOf(appEnv),
      build: runningPlan && planFor(appEnv.app, withBranch(runningPlan.source, appEnv.gitBranch), false),
    },
    (variable) => (variable.isSecret ? MASK : secrets.get().openVariable(variable)),
  )
}

/** Which repository it is cannot change; which branch of it can. */
const withBranch = (source: BuildSource, branch: string | null): BuildSource =>
  source.kind === 'git' ? { ...source, branch } : source

/** Most environments have no changed variable to show, and so need no key at all. */
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
