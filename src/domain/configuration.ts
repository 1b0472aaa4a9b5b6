import type { ContainerSettings } from './container-settings.ts'
import type { HealthCheck } from './health-check.ts'
import type { Resources } from './resources.ts'

export type VariableType = 'DEPLOY' | 'BUILD' | 'BOTH'

export interface SealedVariable {
  /** The variable's id: the sealed value is bound to it. */
  id: string
  name: string
  type: VariableType
  isSecret: boolean
  sealedValue: string
  fingerprint: string
}

export const isReadByBuilds = ({ type }: Pick<SealedVariable, 'type'>): boolean => type !== 'DEPLOY'

/** Whether containers get it. */
export const isReadByContainers = ({ type }: Pick<SealedVariable, 'type'>): boolean => type !== 'BUILD'

export interface StartupConfig {
  /** Null: the image’s entry point, which gets the arguments. */
  command: string | null
  args: string[]
  /** True: `/bin/sh -lc command`, args appended. False: command and args are the argv. */
  shell: boolean
  workingDir: string | null
}

/** What a version runs to its end before any of its containers start. */
export interface ReleaseCommand extends StartupConfig {
  command: string
  timeoutSeconds: number
}

export interface MountedVolume {
  id: string
  path: string
  diskMb: number
}

/** The configuration of the app's type: an object under the field's name; null when there is none. */
export type TypeConfig = Record<string, Record<string, unknown>> | null

/** What a version runs with in addition to its image: recorded with it, so that a rollback restores it. */
export interface Configuration {
  port: number | null
  zClouds: number
  /** Set instead of a size in zClouds. */
  resources?: Resources | null
  /** Data that outlives the containers. */
  volume?: MountedVolume | null
  startup: StartupConfig | null
  release?: ReleaseCommand | null
  /** How its containers are made; jobs and release commands of the version run the same way. */
  containerSettings?: ContainerSettings | null
  healthCheck: HealthCheck
  variables: SealedVariable[]
  imagePullCredentialId: string | null
  typeConfig: TypeConfig
  /** Of a managed service, `<PRESET>_<VERSION>`. */
  presetVersion?: string | null
}

/** The configuration recorded with a version. The database column is untyped JSON. */
export const recordedConfiguration = ({ configuration }: { configuration: unknown }): Configuration =>
  configuration as Configuration
