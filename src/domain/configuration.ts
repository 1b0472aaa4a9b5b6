import type { Probes } from './health-check.ts'
import type { Resources } from './resources.ts'

export type VariableType = 'DEPLOY' | 'BUILD' | 'BOTH'

export interface SealedVariable {
  /** The variable's id: part of what the sealed value is bound to. */
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
  command: string
  args: string[]
  /** True: `/bin/sh -lc command`, args appended. False: command and args are the argv. */
  shell: boolean
  workingDir: string | null
}

export interface HealthCheck extends Probes {
  /** Null: a TCP connect is enough. */
  path: string | null
  /** Null: the app's port. */
  port: number | null
  headers: Record<string, string>
  /** Nothing is probed: containers are ready as soon as they run. */
  isOff?: boolean
}

export interface MountedVolume {
  id: string
  path: string
  diskMb: number
}

/** What configures an app of its type: an object under the field's name; null when nothing does. */
export type TypeConfig = Record<string, Record<string, unknown>> | null

/** What a version runs with besides its image: recorded with it, so that a rollback brings it back. */
export interface Configuration {
  port: number | null
  zClouds: number
  /** Set in place of a zCloud size. */
  resources?: Resources | null
  /** Data that outlives the containers. */
  volume?: MountedVolume | null
  startup: StartupConfig | null
  healthCheck: HealthCheck
  variables: SealedVariable[]
  imagePullCredentialId: string | null
  typeConfig: TypeConfig
}

/** What a version was recorded with: the column is JSON to the database. */
export const recordedConfiguration = ({ configuration }: { configuration: unknown }): Configuration =>
  configuration as Configuration
