import type { Configuration } from '../domain/configuration.ts'
import { type HealthCheck, type HealthCheckType, healthCheckType } from '../domain/health-check.ts'
import type { RunSettings } from '../domain/job-run.ts'
import type { RequestScaling } from '../domain/request-scaling.ts'
import type { AppType, ContinuousWorkload } from './app-type.ts'
import { getAppType } from './app-types.ts'
import type { Engine } from './engines/engine.ts'
import { engineOfVersion } from './engines/engines.ts'
import { engineOfPreset } from './presets.ts'

type TypedApp = { type: string }

const continuous = ({ workload }: AppType): ContinuousWorkload | null =>
  workload.kind === 'CONTINUOUS' ? workload : null

/** Whether a deployment replaces containers. Otherwise it only prepares the image. */
export const isRolledOut = (app: TypedApp): boolean => continuous(getAppType(app.type)) !== null

/** The number of containers of a running environment: none for a type that runs on demand. */
export const wantedReplicas = (appEnv: { containers: number; app: TypedApp }): number =>
  continuous(getAppType(appEnv.app.type))?.scaling.replicas(appEnv.containers) ?? 0

export const isScaledByRequests = (app: TypedApp): boolean =>
  continuous(getAppType(app.type))?.scaling.byRequests !== undefined

/** How requests decide the number of containers of a version; null for a type whose number is configured. */
export const requestScalingOf = (
  app: TypedApp,
  { typeConfig }: Pick<Configuration, 'typeConfig'>,
): RequestScaling | null => continuous(getAppType(app.type))?.scaling.byRequests?.(typeConfig) ?? null

/**
 * The number of containers that an operation waits for: those of a managed service that copy the first one take as long
 * as its data is large, and reconciliation brings them up.
 */
export const awaitedReplicas = (appEnv: { containers: number; app: TypedApp & { dockerPreset: string } }): number =>
  engineOf(appEnv.app)?.replication ? 1 : wantedReplicas(appEnv)

/** Whether requests reach it by host name: it then has an automatic host, and may have custom ones. */
export const hasHosts = (type: AppType): boolean => continuous(type)?.routing === 'HTTP'

/** Whether requests reach the containers of a version: those of an app that nothing asks serve none. */
export const isRouted = (app: TypedApp, { healthCheck }: Pick<Configuration, 'healthCheck'>): boolean =>
  hasHosts(getAppType(app.type)) && healthCheckType(healthCheck) !== 'NONE'

/** Why the type cannot have such a health check; null when it can. */
export const refusedHealthCheck = ({ refusesHealthCheck = {} }: AppType, type: HealthCheckType): string | null =>
  refusesHealthCheck[type] ?? null

/** Whether clients from outside reach it by plain TCP. */
export const usesTcp = (app: TypedApp): boolean => continuous(getAppType(app.type))?.routing === 'TCP'

export const isProbed = (type: AppType): boolean => Boolean(continuous(type)?.probing)

export const autoscales = (type: AppType): boolean => continuous(type)?.scaling.autoscales ?? false

/** The health check that a version is recorded with. */
export function healthCheckFor(type: AppType, configured: HealthCheck): HealthCheck {
  const workload = continuous(type)
  if (!workload) return configured
  return workload.probing ? workload.probing(configured) : { ...configured, isOff: true }
}

/** What its finite runs are like by a version's configuration; null where there can be none. */
export function runsOf(
  app: TypedApp,
  { typeConfig, startup }: Pick<Configuration, 'typeConfig' | 'startup'>,
): { settings: RunSettings; needsCommand: boolean } | null {
  const { runs, config } = getAppType(app.type)
  if (!runs) return null
  return { settings: runs.settings(typeConfig?.[config?.field ?? ''] ?? {}, startup), needsCommand: runs.needsCommand }
}

/** Whether the app runs prebuilt images: it opted in, or its type decides (§4.1 rule 1). */
export const acceptsImage = (app: TypedApp & { useImage: boolean }): boolean => getAppType(app.type).acceptsImage(app)

/**
 * What a managed service runs: the engine of the version that its environment was recorded with, or else of the app's
 * preset. Null for apps that bring their own program, and for a preset that Berth does not know.
 */
export const engineOf = (app: { dockerPreset: string }, presetVersion: string | null = null): Engine | null =>
  engineOfVersion(presetVersion) ?? engineOfPreset(app.dockerPreset)

/** Whether apps of the type are managed services, also where Berth does not know the preset any more. */
export const isService = (app: TypedApp): boolean => getAppType(app.type).presets.some(({ kind }) => kind === 'ENGINE')

/** Nothing was said with it: older clients send such values for fields that they do not use. */
const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/** The fields of an input that the type does not have, each with the reason. */
export const refusedFields = ({ refuses = {} }: AppType, input: object): { field: string; message: string }[] =>
  Object.entries(input).flatMap(([field, value]) => {
    const message = isEmpty(value) ? undefined : refuses[field]
    return message === undefined ? [] : [{ field, message }]
  })
