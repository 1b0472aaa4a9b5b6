import type { CommandContext } from '../../calls/command.ts'
import type { ScalingChange } from '../../domain/autoscaling.ts'
import { OPEN_STATUSES } from '../../domain/operation.ts'
import { asSystem, type SystemTools } from '../system/as-system.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'
import { beginOperation } from './begin-operation.ts'

/** The actor of operations that autoscaling begins. */
export const AUTOSCALING = 'autoscaling'

/**
 * Changes the number of containers because of the load, as a member would, with the reason in the operation's first
 * step, in its event and in the audit log. False when the environment has changed since the decision.
 */
export const autoscaleAppEnv = (tools: SystemTools, change: ScalingChange): Promise<boolean> =>
  asSystem(tools, change.appEnvId, AUTOSCALING, (context, appEnv) => scaled(context, appEnv, change))

async function scaled(
  context: CommandContext,
  appEnv: LoadedAppEnv,
  { appEnvId, from, to: wanted, why }: ScalingChange,
) {
  const { tx } = context
  const to = withinPlan(appEnv, from, wanted)
  if (to === from) return null
  const open = await tx.operation.count({ where: { appEnvId, status: { in: [...OPEN_STATUSES] } } })
  if (open > 0 || appEnv.status !== 'RUNNING' || appEnv.replicasDesired !== from) return null
  // A person has set another number and not applied it yet: it must not be lost.
  if (appEnv.containers !== from) return null
  await tx.appEnv.update({ where: { id: appEnvId }, data: { containers: to } })
  const operation = await beginOperation(context, appEnv, { kind: 'APPLY_CHANGES' })
  const detail = `from ${from} to ${to}: ${why}`
  const at = operation.createdAt.toISOString()
  const steps = [{ name: 'decide', startedAt: at, finishedAt: at, detail }]
  await tx.operation.update({ where: { id: operation.id }, data: { steps } })
  const about = { appId: appEnv.appId, appEnvId, operationId: operation.id }
  context.announce({ type: 'operation.progressed', ...about, payload: { step: 'decide', state: 'finished', detail } })
  const details = { operationId: operation.id, containers: { from, to }, why }
  return { action: 'autoScale', targetType: 'appEnv', targetId: appEnvId, details }
}

/** The plan may have shrunk since autoscaling was set: running containers stay, and none are added. */
function withinPlan({ account }: LoadedAppEnv, from: number, to: number): number {
  const { plan, allowAutoScaling } = account
  if (to <= from) return to
  if (!plan.autoscalingIncluded || !allowAutoScaling) return from
  return Math.max(from, Math.min(to, plan.maxContainers))
}
