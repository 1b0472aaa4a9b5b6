import { isDeepStrictEqual } from 'node:util'
import { type BuildPlan, buildDifferences } from './build-plan.ts'
import type { BuildSettings, Configuration, SealedVariable } from './configuration.ts'
import { PROBES } from './health-check.ts'

export type ChangeKind = 'BUILD' | 'DEPLOY' | 'SCALE'

/** A difference between what is configured and what runs. Values of secrets are masked. */
export interface PendingChange {
  kind: ChangeKind
  field: string
  from: unknown
  to: unknown
}

/** What an environment runs, or would run if its changes were applied now. */
export interface Effective {
  image: string
  /** False: built from source. */
  useImage: boolean
  containers: number
  configuration: Configuration
  /** Null where nothing is built. */
  build: BuildPlan | null
}

/** What may be shown of a variable: its value, or a mask. */
export type ShowVariable = (variable: SealedVariable) => string

/** Each by the name under which it is set. */
const BUILD_FIELDS = [
  ['dockerPreset', 'dockerPreset'],
  ['dockerPresetVersion', 'dockerPresetVersion'],
  ['builder', 'builder'],
  ['gitBranch', 'gitBranch'],
  ['contextDir', 'contextDir'],
  ['dockerfilePath', 'dockerfilePath'],
  ['customDockerfileContent', 'customDockerfileContent'],
  ['buildArgs', 'buildArgs'],
  ['pullCredentialId', 'buildPullAccountSecretId'],
] as const satisfies [keyof BuildSettings, string][]

/** Compares what runs with what is configured. Computed at every read, so it can never go stale. */
export function pendingChanges(running: Effective, configured: Effective, show: ShowVariable): PendingChange[] {
  const changes: PendingChange[] = []
  const compare = (kind: ChangeKind, field: string, from: unknown, to: unknown) => {
    if (!isDeepStrictEqual(from, to)) changes.push({ kind, field, from, to })
  }
  const [old, next] = [running.configuration, configured.configuration]
  compare('BUILD', 'useImage', running.useImage, configured.useImage)
  if (running.build && configured.build) {
    changes.push(
      ...buildDifferences(running.build, configured.build).map((one) => ({ kind: 'BUILD' as const, ...one })),
    )
  } else if (!running.useImage && !configured.useImage && old.build && next.build) {
    // A version that was made before its source was ever built.
    for (const [field, name] of BUILD_FIELDS) compare('BUILD', name, old.build[field], next.build[field])
  }
  compare('DEPLOY', 'image', running.image, configured.image)
  compare('DEPLOY', 'port', old.port, next.port)
  compare('DEPLOY', 'zClouds', old.zClouds, next.zClouds)
  compare('DEPLOY', 'cpu', old.resources?.cpu ?? null, next.resources?.cpu ?? null)
  compare('DEPLOY', 'memory', old.resources?.memoryMb ?? null, next.resources?.memoryMb ?? null)
  compare('DEPLOY', 'volume', shownVolume(old), shownVolume(next))
  compare('DEPLOY', 'startupConfig', old.startup, next.startup)
  compare('DEPLOY', 'healthCheckPath', old.healthCheck.path, next.healthCheck.path)
  compare('DEPLOY', 'healthCheckPort', old.healthCheck.port, next.healthCheck.port)
  compare('DEPLOY', 'healthCheckHeaders', old.healthCheck.headers, next.healthCheck.headers)
  for (const name of PROBES) compare('DEPLOY', name, old.healthCheck[name] ?? null, next.healthCheck[name] ?? null)
  compare('DEPLOY', 'imagePullAccountSecretId', old.imagePullCredentialId, next.imagePullCredentialId)
  compare('DEPLOY', 'jobConfig', old.jobConfig, next.jobConfig)
  compare('DEPLOY', 'functionConfig', old.functionConfig, next.functionConfig)
  compare('SCALE', 'containers', running.containers, configured.containers)
  // Where nothing is built, a variable that only builds read changes nothing.
  const matters = (variable: SealedVariable) => variable.type !== 'BUILD' || !configured.useImage
  return [...changes, ...changedVariables(old.variables.filter(matters), next.variables.filter(matters), show)]
}

const shownVolume = ({ volume }: Configuration) => (volume ? { path: volume.path, disk: volume.diskMb } : null)

function changedVariables(old: SealedVariable[], next: SealedVariable[], show: ShowVariable): PendingChange[] {
  const before = new Map(old.map((variable) => [variable.name, variable]))
  const after = new Map(next.map((variable) => [variable.name, variable]))
  const changes: PendingChange[] = []
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [from, to] = [before.get(name), after.get(name)]
    if (from && to && from.fingerprint === to.fingerprint && from.type === to.type) continue
    // A variable that only builds read does not restart containers.
    const kind = (to ?? from)?.type === 'BUILD' ? 'BUILD' : 'DEPLOY'
    changes.push({ kind, field: `envVars.${name}`, from: from ? show(from) : null, to: to ? show(to) : null })
  }
  return changes
}
