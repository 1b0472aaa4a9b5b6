import type { EngineCommand } from '../../app-types/engines/engine.ts'
import type { Rollout, Task } from '../../engines/runtime/container-runtime.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import { rolloutOf } from '../version/rollout.ts'

interface ServiceWork {
  purpose: string
  command: EngineCommand | null
  volume: Rollout['volume']
  environment?: Record<string, string>
}

/** A container of the version beside its replicas, made as they are made. */
export async function serviceTask(
  attempt: VersionAttemptContext,
  { purpose, command, volume, environment = {} }: ServiceWork,
): Promise<Task> {
  const { appEnv, content, operation } = attempt
  const choice = { content, rolloutId: operation.id, requestId: operation.requestId, replicas: 1 }
  const rollout = await rolloutOf(attempt, appEnv, choice)
  const [program, ...args] = command ?? []
  return {
    accountId: rollout.accountId,
    appId: rollout.appId,
    appEnvId: rollout.appEnvId,
    operationId: operation.id,
    generation: rollout.generation,
    requestId: operation.requestId,
    purpose,
    pinnedImage: rollout.pinnedImage,
    files: rollout.files,
    environment: { ...rollout.environment, ...environment },
    entrypoint: program === undefined ? (rollout.command?.entrypoint ?? []) : [program],
    args: program === undefined ? (rollout.command?.args ?? []) : args,
    sandbox: rollout.sandbox,
    volume,
    scratchPaths: [],
    // No client may connect to what is being restored.
    network: 'NONE',
    resources: rollout.resources,
  }
}
