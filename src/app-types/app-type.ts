import type { z } from 'zod'
import type { HealthCheck } from '../domain/configuration.ts'
import type { UrlKind } from '../domain/references.ts'
import type { BuildPreset } from './presets/preset.ts'

/** What an app type is called, and by whom. */
interface Names {
  /** In the database, and in GraphQL's AppType. */
  name: string
  /** In messages. */
  title: string
  /** What it is, for the documentation of both APIs. */
  about: string
  /** REST's `appType`. */
  wireName: string
  /** Names by which older clients call it (§1 rule 1). */
  aliases: readonly string[]
  /** What its output is called in `GET /logs`. */
  logType: string
  /** The preset of an app that names its type only; null where a preset has to be named. */
  defaultPreset: string | null
}

/** A type that the public interface names and this version does not run yet: creating an app of it is refused. */
export interface AnnouncedAppType extends Names {
  isAvailable: false
  presets: readonly string[]
}

/** A way to make what an app runs, and the versions that it comes in. */
export type Preset =
  /** The source brings its Dockerfile, or an image is deployed: what the version means is up to them. */
  | { kind: 'OWN_DOCKERFILE'; name: string; dockerfilePath: string | null }
  /** Writes the Dockerfile. */
  | { kind: 'BUILD'; name: string; build: BuildPreset }
  /** Comes in these versions, without the preset's name in them, oldest first. */
  | { kind: 'VERSIONED'; name: string; versions: readonly [string, ...string[]] }

/** The object field that configures a type, in both APIs. */
export interface TypeConfig {
  field: string
  /** With a description: it is shown wherever the field is. */
  schema: z.ZodObject
  /** PATCH /app takes it; otherwise it is changed in each environment. */
  isChangedWithApp: boolean
  /** Its enums, as GraphQL names and describes them. */
  enums?: readonly { name: string; about: string; values: Readonly<Record<string, string>> }[]
}

/** Runs all the time: a deployment starts its containers, waits until they are ready and takes the old ones away. */
export interface ContinuousWorkload {
  kind: 'CONTINUOUS'
  /** How clients from outside reach it. Only what is routed by HTTP has hosts. */
  routing: 'HTTP' | 'TCP' | 'NONE'
  /** The health check of its containers, from what is configured; null: ready as soon as they run. */
  probing: ((configured: HealthCheck) => HealthCheck) | null
  scaling: {
    /** Containers that run when so many are configured. */
    replicas: (containers: number) => number
    /** Whether their number may follow the load. */
    autoscales: boolean
  }
}

/** Runs when it is asked to: a deployment makes its image ready, and starts nothing. */
export interface OnDemandWorkload {
  kind: 'ON_DEMAND'
}

export interface UrlFacts {
  /** Its name on the account's network. */
  host: string
  port: number | null
  /** Its first valid host, as the ingress serves it. */
  publicUrl: string | null
}

/** Everything in which app types differ. Nothing outside this folder asks for a type by name. */
export interface AppType extends Names {
  isAvailable: true
  presets: readonly [Preset, ...Preset[]]
  workload: ContinuousWorkload | OnDemandWorkload
  /** Whether apps of it have to say which port they listen on. */
  requiresPort: boolean
  connectionUrls: (facts: UrlFacts) => Record<UrlKind, string | null>
  /** Whether a prebuilt image may be deployed (§4.1 rule 1). */
  acceptsImage: (app: { useImage: boolean }) => boolean
  /** Whether it may keep data that outlives its containers. */
  allowsVolume: boolean
  config: TypeConfig | null
  /** Throws a DomainError where the account's plan, or the region, does not offer it. */
  checkPlan: (plan: { name: string; functionsIncluded: boolean }) => void
  checkRegion: (region: { name: string; functionsSupported: boolean }) => void
}

export type AnyAppType = AppType | AnnouncedAppType
