import type { z } from 'zod'
import type { StartupConfig, TypeConfig as TypeConfiguration } from '../domain/configuration.ts'
import type { HealthCheck, HealthCheckType } from '../domain/health-check.ts'
import type { RunSettings } from '../domain/job-run.ts'
import type { UrlKind } from '../domain/references.ts'
import type { RequestScaling } from '../domain/request-scaling.ts'
import type { Engine, EngineAddress, EngineCredentials } from './engines/engine.ts'
import type { BuildPreset } from './presets/preset.ts'

/** The names of an app type. */
interface Names {
  /** In the database, and in GraphQL's AppType. */
  name: string
  /** In messages. */
  title: string
  /** For the documentation of both APIs. */
  about: string
  /** REST's `appType`. */
  wireName: string
  /** Names that older clients use (§1 rule 1). */
  aliases: readonly string[]
  /** Fields that older clients set to true instead of sending `appType`. */
  flags?: readonly string[]
  /** The type of its output in `GET /logs`. */
  logType: string
  /** The preset of an app that names only its type; null where a preset must be named. */
  defaultPreset: string | null
}

/** A way to build an app, and its versions. */
export type Preset =
  /** The source brings its Dockerfile, or an image is deployed; either one defines what the version means. */
  | { kind: 'OWN_DOCKERFILE'; name: string; dockerfilePath: string | null }
  /** Writes the Dockerfile. */
  | { kind: 'BUILD'; name: string; build: BuildPreset }
  /** The supported versions, without the preset's name, oldest first. */
  | { kind: 'VERSIONED'; name: string; versions: readonly [string, ...string[]] }
  /** A managed service: its version says which image runs, and everything else is in its description. */
  | { kind: 'ENGINE'; name: string; engine: Engine }

/** The object field that configures a type, in both APIs. */
export interface TypeConfig {
  field: string
  /** With a description: it is shown wherever the field is. */
  schema: z.ZodType
  /** What applies where so much of it is set: every setting that has a default has a value. */
  effective: (set: Readonly<Record<string, unknown>>, engine: Engine | null) => Record<string, unknown>
  /** PATCH /app accepts it; otherwise it is changed in each environment. */
  isChangedWithApp: boolean
  /** Its enums, with GraphQL's names and descriptions. */
  enums?: readonly { name: string; about: string; values: Readonly<Record<string, string>> }[]
}

/** Runs all the time: a deployment starts its containers, waits until they are ready and removes the old ones. */
export interface ContinuousWorkload {
  kind: 'CONTINUOUS'
  /** How clients from outside reach it. Only HTTP routes have hosts. */
  routing: 'HTTP' | 'TCP' | 'NONE'
  /** The health check of its containers, from the configuration; null: ready as soon as they run. */
  probing: ((configured: HealthCheck) => HealthCheck) | null
  scaling: {
    /** The number of containers that run when so many are configured. */
    replicas: (containers: number) => number
    /** Whether the number may follow the load. */
    autoscales: boolean
    /** Requests decide the number, down to none, by what is recorded with the version; null: `replicas` does. */
    byRequests?: (recorded: TypeConfiguration) => RequestScaling
  }
}

/** Runs on demand: a deployment prepares its image, and starts nothing. */
export interface OnDemandWorkload {
  kind: 'ON_DEMAND'
}

export interface UrlFacts {
  /** Null: it is not described how the program is reached. */
  engine: Engine | null
  /** Null where the program has no generated credentials. */
  credentials: EngineCredentials | null
  /** Its name on the account's network. */
  host: string
  port: number | null
  /** Its first valid host, as the ingress serves it. */
  publicUrl: string | null
  /** Where clients from outside reach it by plain TCP; null unless that was asked for. */
  externalAddress: EngineAddress | null
  /** Name of its replicas on the account's network; null where it has none. */
  replicasHost: string | null
}

/** What variables of other environments can refer to. */
export type ConnectionUrls = Partial<Record<UrlKind, string | null>>

/** Commands that end: the runs of a job, or one-off commands in the current version of another app. */
export interface RunBehaviour {
  /** From the applied configuration of the type, and the startup command. */
  settings: (config: Partial<RunSettings>, startup: StartupConfig | null) => RunSettings
  /** Each run names its command: without one, the program of the app would run once more. */
  needsCommand: boolean
}

/** All differences between app types. No code outside this folder asks for a type by name. */
export interface AppType extends Names {
  presets: readonly [Preset, ...Preset[]]
  workload: ContinuousWorkload | OnDemandWorkload
  /** Whether apps of it must set the port that they listen on. */
  requiresPort: boolean
  /** Its addresses, and the parts that they are made from; null for what it does not have. */
  connectionUrls: (facts: UrlFacts) => ConnectionUrls
  /** Whether a prebuilt image may be deployed (§4.1 rule 1). */
  acceptsImage: (app: { useImage: boolean }) => boolean
  /** Whether it may have a volume. */
  allowsVolume: boolean
  config: TypeConfig | null
  /** Its finite runs; null where there can be none. */
  runs: RunBehaviour | null
  /** Fields of apps and environments that the type decides by itself, each with the reason for refusing it. */
  refuses?: Readonly<Record<string, string>>
  /** Types of health checks that it cannot have, each with the reason for refusing it. */
  refusesHealthCheck?: Readonly<Partial<Record<HealthCheckType, string>>>
  /** Throws a DomainError if the account's plan, the account itself, or the region, does not offer it. */
  checkPlan: (plan: { name: string; functionsIncluded: boolean }) => void
  checkAccount: (account: { name: string; allowFunctions: boolean }) => void
  checkRegion: (region: { name: string; functionsSupported: boolean }) => void
}
