import type { Resources } from '../../domain/resources.ts'
import type { ContainerFile, Sandbox } from './sandbox.ts'

/** A container beside the replicas of an environment that does one thing, and is removed. It is never restarted. */
export interface Task {
  accountId: string
  appId: string
  appEnvId: string
  /** The operation that it is part of; its id and the purpose name the container. */
  operationId: string
  /** Fencing token of the worker that starts it, kept as a label. */
  generation: number
  requestId: string
  /** Of lower-case letters, digits and `-`, at most 20: `restore`. */
  purpose: string
  pinnedImage: string
  /** Empty: the image's own. */
  entrypoint: readonly string[]
  /** With an empty entrypoint, empty arguments are the image's own too. */
  args: readonly string[]
  environment: Record<string, string>
  files: readonly ContainerFile[]
  sandbox: Sandbox | null
  /** The volume of the environment; created when missing. */
  volume: { id: string; path: string } | null
  /** Volumes of its own, which are removed with it. */
  scratchPaths: readonly string[]
  /** `ACCOUNT`: the network of the account's containers. `NONE`: the loopback only. */
  network: 'ACCOUNT' | 'NONE'
  resources: Resources
}

export interface TaskReference {
  appEnvId: string
  /** Omitted: those of every operation. */
  operationId?: string
}

/** One task of this installation, running or ended. */
export interface ObservedTask {
  name: string
  appEnvId: string
  operationId: string
}

/**
 * Name of a task's container: `berth-task-<operation>-<purpose>`. Decided before the container exists, so that a step
 * that is repeated finds what an earlier attempt left.
 */
export const taskName = ({ operationId, purpose }: Pick<Task, 'operationId' | 'purpose'>): string =>
  `berth-task-${operationId.replaceAll('_', '-')}-${purpose}`.toLowerCase()
