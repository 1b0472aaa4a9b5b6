import type {
  NetworkGroup,
  Rollout,
  RolloutReference,
  RunContainer,
  RunReference,
  Task,
  TaskReference,
} from '../../runtime/container-runtime.ts'
import { LABEL } from '../labels.ts'
import { replicaOf } from './replica-of.ts'

const REPLICA_ROLE = 'replica'
const TASK_ROLE = 'task'
const RUN_ROLE = 'run'

export const replicaLabels = (installationId: string, rollout: Rollout, index: number): Record<string, string> => ({
  [LABEL.installation]: installationId,
  [LABEL.role]: REPLICA_ROLE,
  [LABEL.account]: rollout.accountId,
  [LABEL.app]: rollout.appId,
  [LABEL.appEnv]: rollout.appEnvId,
  [LABEL.content]: rollout.contentId,
  [LABEL.operation]: rollout.rolloutId,
  [LABEL.generation]: String(rollout.generation),
  [LABEL.replica]: String(index),
  [LABEL.request]: rollout.requestId,
  ...(rollout.port === null ? {} : { [LABEL.port]: String(rollout.port) }),
  ...groupLabels(replicaOf(rollout, index).group),
})

const groupLabels = (group: NetworkGroup | null): Record<string, string> =>
  group === null ? {} : { [LABEL.group]: group.id, [LABEL.aliases]: group.aliases.join(',') }

/** The group that a container was created for. */
export function labelledGroup(labels: Readonly<Record<string, string>>): NetworkGroup | null {
  const { [LABEL.group]: id, [LABEL.aliases]: aliases = '' } = labels
  return id === undefined ? null : { id, aliases: aliases.split(',').filter((alias) => alias !== '') }
}

/**
 * The engine's filter for our replicas: an engine may also run other installations' containers, which we never touch.
 */
export function replicaFilters(installationId: string, reference: Partial<RolloutReference> = {}): { label: string[] } {
  const { appEnvId, rolloutId, index } = reference
  const label = [`${LABEL.installation}=${installationId}`, `${LABEL.role}=${REPLICA_ROLE}`]
  if (appEnvId !== undefined) label.push(`${LABEL.appEnv}=${appEnvId}`)
  if (rolloutId !== undefined) label.push(`${LABEL.operation}=${rolloutId}`)
  if (index !== undefined) label.push(`${LABEL.replica}=${index}`)
  return { label }
}

export const taskLabels = (installationId: string, task: Task): Record<string, string> => ({
  [LABEL.installation]: installationId,
  [LABEL.role]: TASK_ROLE,
  [LABEL.account]: task.accountId,
  [LABEL.app]: task.appId,
  [LABEL.appEnv]: task.appEnvId,
  [LABEL.operation]: task.operationId,
  [LABEL.generation]: String(task.generation),
  [LABEL.request]: task.requestId,
})

export function taskFilters(installationId: string, reference: Partial<TaskReference> = {}): { label: string[] } {
  const { appEnvId, operationId } = reference
  const label = [`${LABEL.installation}=${installationId}`, `${LABEL.role}=${TASK_ROLE}`]
  if (appEnvId !== undefined) label.push(`${LABEL.appEnv}=${appEnvId}`)
  if (operationId !== undefined) label.push(`${LABEL.operation}=${operationId}`)
  return { label }
}

export const runLabels = (installationId: string, run: RunContainer): Record<string, string> => ({
  [LABEL.installation]: installationId,
  [LABEL.role]: RUN_ROLE,
  [LABEL.account]: run.accountId,
  [LABEL.app]: run.appId,
  [LABEL.appEnv]: run.appEnvId,
  [LABEL.content]: run.contentId,
  [LABEL.operation]: run.runId,
  [LABEL.generation]: String(run.generation),
  [LABEL.replica]: String(run.attempt),
  [LABEL.request]: run.requestId,
  ...groupLabels(run.group),
})

export function runFilters(
  installationId: string,
  { appEnvId, containerId }: RunReference,
): { label: string[]; id?: string[] } {
  const label = [`${LABEL.installation}=${installationId}`, `${LABEL.role}=${RUN_ROLE}`]
  if (appEnvId !== undefined) label.push(`${LABEL.appEnv}=${appEnvId}`)
  return { label, ...(containerId === undefined ? {} : { id: [containerId] }) }
}

/** Of a container that is created for another one's sake, and never started. */
export const standInLabels = (labels: Record<string, string>): Record<string, string> => ({
  ...labels,
  [LABEL.role]: TASK_ROLE,
})
