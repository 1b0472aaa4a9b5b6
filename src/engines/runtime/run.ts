import type { ContainerSettings } from '../../domain/container-settings.ts'
import type { Resources } from '../../domain/resources.ts'
import type { NetworkGroup } from './network-group.ts'
import type { ContainerPhase } from './phase.ts'
import type { ContainerFile } from './sandbox.ts'

/** One container of a finite run. It is never restarted, and stays when it has ended until it is removed. */
export interface RunContainer {
  accountId: string
  appId: string
  appEnvId: string
  contentId: string
  runId: string
  /** From 1. Each attempt has a container of its own. */
  attempt: number
  /** Fencing token of the worker that creates it, kept as a label. */
  generation: number
  requestId: string
  pinnedImage: string
  /** Null keeps the image's own. */
  command: { entrypoint: string[]; args: string[] } | null
  workingDir: string | null
  environment: Record<string, string>
  files: readonly ContainerFile[]
  settings: ContainerSettings | null
  resources: Resources
  /** Whose network it joins beside the account's. */
  group: NetworkGroup | null
}

/** A container of a run, as the engine reports it. */
export interface ObservedRun {
  name: string
  containerId: string
  appEnvId: string
  runId: string
  attempt: number
  phase: ContainerPhase
  startedAt: Date | null
  finishedAt: Date | null
  /** Null until it has ended. */
  exitCode: number | null
  outOfMemory: boolean
  /** Why its command could not be run, and what to do; absent when it has run, or is one of several that were listed. */
  startFault?: string
}

/** All that are named. Omitted: every one of the installation. */
export interface RunReference {
  appEnvId?: string
  containerId?: string
}

/** Decided before the container exists: a repeated step finds what an earlier one has made. */
export const runName = ({ runId, attempt }: Pick<RunContainer, 'runId' | 'attempt'>): string =>
  `berth-${runId.replaceAll('_', '-')}-${attempt}`.toLowerCase()
