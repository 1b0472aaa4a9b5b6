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

export interface StartupConfig {
  command: string
  args: string[]
  /** True: `/bin/sh -lc command`, args appended. False: command and args are the argv. */
  shell: boolean
  workingDir: string | null
}

export interface HealthCheck {
  /** Null: a TCP connect is enough. */
  path: string | null
  /** Null: the app's port. */
  port: number | null
  headers: Record<string, string>
}

/** What a version runs with besides its image: recorded with it, so that a rollback brings it back. */
export interface Configuration {
  port: number | null
  zClouds: number
  startup: StartupConfig | null
  healthCheck: HealthCheck
  variables: SealedVariable[]
  imagePullCredentialId: string | null
  jobConfig: Record<string, unknown> | null
  functionConfig: Record<string, unknown> | null
}
