import { isDeepStrictEqual } from 'node:util'
import { type BuildPlan, buildDifferences } from './build-plan.ts'
import { type Configuration, isReadByContainers, type SealedVariable } from './configuration.ts'
import { asksNetwork, healthCheckType, PROBE_TIMING, PROBES } from './health-check.ts'
import { resourcesOf } from './resources.ts'

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
  /** Null where it is built, and its name says nothing. */
  image: string | null
  /** False: built from source. */
  useImage: boolean
  containers: number
  configuration: Configuration
  /** Null when nothing is built. */
  build: BuildPlan | null
}

/** What may be shown of a variable: its value, or a mask. */
export type ShowVariable = (variable: SealedVariable) => string

/** Compares what runs with what is configured. Computed at every read, so it is never stale. */
export function pendingChanges(running: Effective, configured: Effective, show: ShowVariable): PendingChange[] {
  const changes: PendingChange[] = []
  const compare = (kind: ChangeKind, field: string, from: unknown, to: unknown) => {
    if (!isDeepStrictEqual(from, to)) changes.push({ kind, field, from, to })
  }
  const [old, next] = [running.configuration, configured.configuration]
  // An image only has to be deployed, a source has to be built.
  compare(configured.useImage ? 'DEPLOY' : 'BUILD', 'useImage', running.useImage, configured.useImage)
  if (running.build && configured.build) {
    for (const { field, from, to } of buildDifferences(running.build, configured.build)) {
      changes.push({ kind: 'BUILD', field, from, to })
    }
  }
  compare('DEPLOY', 'image', running.image, configured.image)
  compare('DEPLOY', 'dockerPresetVersion', old.presetVersion ?? null, next.presetVersion ?? null)
  compare('DEPLOY', 'port', old.port, next.port)
  compare('DEPLOY', 'zClouds', old.zClouds, next.zClouds)
  // Otherwise zClouds, which is compared, decides both.
  if (old.resources || next.resources) {
    const [oldSize, nextSize] = [resourcesOf(old), resourcesOf(next)]
    compare('DEPLOY', 'cpu', oldSize.cpu, nextSize.cpu)
    compare('DEPLOY', 'memory', oldSize.memoryMb, nextSize.memoryMb)
  }
  compare('DEPLOY', 'volume', shownVolume(old), shownVolume(next))
  compare('DEPLOY', 'startupConfig', old.startup, next.startup)
  compare('DEPLOY', 'releaseCommand', old.release ?? null, next.release ?? null)
  compare('DEPLOY', 'containerSettings', old.containerSettings ?? null, next.containerSettings ?? null)
  // A path distinguishes HTTP from TCP.
  if (!asksNetwork(old.healthCheck) || !asksNetwork(next.healthCheck))
    compare('DEPLOY', 'healthCheck.type', healthCheckType(old.healthCheck), healthCheckType(next.healthCheck))
  compare('DEPLOY', 'healthCheck.command', old.healthCheck.command ?? null, next.healthCheck.command ?? null)
  for (const name of PROBE_TIMING)
    compare('DEPLOY', `healthCheck.${name}`, old.healthCheck[name] ?? null, next.healthCheck[name] ?? null)
  compare('DEPLOY', 'healthCheckPath', old.healthCheck.path, next.healthCheck.path)
  // Without one, the port of the app, which is compared.
  if (old.healthCheck.port !== next.healthCheck.port)
    compare('DEPLOY', 'healthCheckPort', old.healthCheck.port ?? old.port, next.healthCheck.port ?? next.port)
  compare('DEPLOY', 'healthCheckHeaders', old.healthCheck.headers, next.healthCheck.headers)
  for (const name of PROBES) compare('DEPLOY', name, old.healthCheck[name] ?? null, next.healthCheck[name] ?? null)
  compare('DEPLOY', 'imagePullAccountSecretId', old.imagePullCredentialId, next.imagePullCredentialId)
  for (const field of Object.keys({ ...old.typeConfig, ...next.typeConfig }))
    compare('DEPLOY', field, old.typeConfig?.[field] ?? null, next.typeConfig?.[field] ?? null)
  compare('SCALE', 'containers', running.containers, configured.containers)
  return [...changes, ...changedVariables(running, configured, show)]
}

const shownVolume = ({ volume }: Configuration) => (volume ? { path: volume.path, disk: volume.diskMb } : null)

/**
 * A variable that a build reads is compared with the image's build, so that a redeployment does not hide a pending
 * build; one that containers read is compared with what they were given.
 */
function changedVariables(running: Effective, configured: Effective, show: ShowVariable): PendingChange[] {
  const [given, next] = [running, configured].map(({ configuration }) =>
    configuration.variables.filter(isReadByContainers),
  )
  const built = running.build && configured.build ? differing(running.build.variables, configured.build.variables) : []
  const before = byName([...(given ?? []), ...(running.build?.variables ?? [])])
  const after = byName(configured.configuration.variables)
  return [...new Set([...built, ...differing(given ?? [], next ?? [])])].flatMap((name) => {
    const [from, to] = [before.get(name), after.get(name)]
    // New to the build only because another variable, which is reported, refers to it now.
    if (from?.fingerprint === to?.fingerprint && from?.type === to?.type) return []
    const kind = built.includes(name) ? 'BUILD' : 'DEPLOY'
    // A variable that is secret now is masked in its old value too.
    const isSecret = Boolean(from?.isSecret || to?.isSecret)
    const shown = (variable: SealedVariable | undefined) => (variable ? show({ ...variable, isSecret }) : null)
    return [{ kind, field: `envVars.${name}`, from: shown(from), to: shown(to) }]
  })
}

const byName = (variables: readonly SealedVariable[]) => new Map(variables.map((variable) => [variable.name, variable]))

/** Names whose values differ between the two sides. */
function differing(old: readonly SealedVariable[], next: readonly SealedVariable[]): string[] {
  const [before, after] = [byName(old), byName(next)]
  const names = [...new Set([...before.keys(), ...after.keys()])]
  return names.filter((name) => before.get(name)?.fingerprint !== after.get(name)?.fingerprint)
}
