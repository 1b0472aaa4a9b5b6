import type { WorkerContext } from '../context/worker-context.ts'
import { readScalingFacts, stepFor } from './scaling-facts.ts'

/** The environments that the reports of ingresses ask to scale. The worker that claims one decides again. */
export async function findDueScalings({
  database,
  scope,
  config,
}: Pick<WorkerContext, 'database' | 'scope' | 'config'>): Promise<string[]> {
  const all = await readScalingFacts(database, config, { mayChangeOn: scope })
  return all.filter((facts) => stepFor(facts, config) !== null).map(({ appEnvId }) => appEnvId)
}
