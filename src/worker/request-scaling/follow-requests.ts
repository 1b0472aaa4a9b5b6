import type { ScalingStep } from '../../domain/request-scaling.ts'
import { announceWakes } from './announce-wakes.ts'
import { readScalingFacts, type ScalingFacts, stepFor } from './scaling-facts.ts'
import { finishDrain, shrink, sleepDeeper } from './sleep-stages.ts'
import { grow, type ScalingContext, wake, wakeFrozen } from './wake.ts'

/** A wake may be followed by more containers; anything else is done by the next round. */
const MAX_STEPS = 3
/** The engine's events of a change make it due anyway. */
const SOON_SECONDS = 1

/** Decides what requests ask for, and does it, under the environment's lease. Any worker may repeat it. */
export async function followRequests(
  scaling: ScalingContext,
): Promise<{ requeueAfterSeconds: number; observed: boolean }> {
  const { database, config, lease } = scaling
  let isChanged = false
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const [facts] = await readScalingFacts(database, config, { appEnvId: lease.appEnvId })
    const step = facts && stepFor(facts, config)
    if (!facts || !step) break
    isChanged = true
    if (!(await carryOut(scaling, facts, step))) break
  }
  if (isChanged) await announceWakes(database, lease)
  return { requeueAfterSeconds: isChanged ? SOON_SECONDS : config.BERTH_RECONCILE_SECONDS, observed: false }
}

/** True when another step may follow at once. */
async function carryOut(scaling: ScalingContext, facts: ScalingFacts, step: ScalingStep): Promise<boolean> {
  if (step.kind === 'WAKE' && (await wakeFrozen(scaling, facts))) return true
  const [{ context, appEnv }, [present]] = await Promise.all([
    scaling.load(),
    // Of a crowd, only the first may have been known when the wake was decided.
    step.kind === 'WAKE' ? readScalingFacts(scaling.database, scaling.config, { appEnvId: facts.appEnvId }) : [],
  ])
  switch (step.kind) {
    case 'WAKE':
      return wake(context, appEnv, present ?? facts)
    case 'GROW':
      await grow(context, appEnv, facts, step.containers)
      return false
    case 'SHRINK':
      await shrink(context, appEnv, step.containers)
      return false
    case 'FINISH_DRAIN':
      await finishDrain(context, appEnv, facts)
      return true
    case 'SLEEP_DEEPER':
      await sleepDeeper(context, appEnv, facts, step)
      return false
  }
}
