import { getAppType } from '../../app-types/app-types.ts'
import { requestScalingOf } from '../../app-types/behaviours.ts'
import type { StoredTypeConfig } from '../../app-types/type-config.ts'
import type { Plan } from '../../storage/database/generated/prisma/client.ts'
import { requireWithinPlan, type Wanted } from './plan-limits.ts'

/** What a plan limits of one environment, each with the field that decides it. */
interface Extent {
  containers: Wanted
  zClouds: Wanted
}

/** An environment as it is configured, or as it runs; whatever a value comes from, such as the app. */
export interface Sized {
  containers: number
  /** As its column holds it. */
  autoScaling: unknown
  typeConfig: unknown
  zClouds: number
  cpu?: number | null
}

/** How much there may be of it at a time. */
export function extentOf(app: { type: string }, sized: Sized): Extent {
  const zClouds = { field: sized.cpu ? 'cpu' : 'zClouds', count: sized.zClouds }
  const typeConfig = sized.typeConfig as Parameters<typeof requestScalingOf>[1]['typeConfig']
  const byRequests = requestScalingOf(app, { typeConfig })
  if (byRequests) {
    const field = `${getAppType(app.type).config?.field}.maxScale`
    return { zClouds, containers: { field, count: byRequests.maxScale } }
  }
  const { enabled = false, max = 0 } = (sized.autoScaling ?? {}) as { enabled?: boolean; max?: number }
  const configured = { field: 'containers', count: sized.containers }
  const isAutoscaledBeyond = enabled && max > configured.count
  return { zClouds, containers: isAutoscaledBeyond ? { field: 'autoScaling.max', count: max } : configured }
}

/**
 * The one place where the configuration of an environment is compared with the plan. Throws FORBIDDEN when it is beyond
 * a limit, and more than what is there already: that goes on when a plan shrinks.
 */
export function requireExtentWithinPlan(
  plan: Pick<Plan, 'name' | 'maxContainers' | 'maxZClouds'>,
  wanted: Extent,
  present: Extent | null,
): void {
  if (wanted.containers.count > (present?.containers.count ?? 0))
    requireWithinPlan(plan, 'maxContainers', wanted.containers)
  if (wanted.zClouds.count > (present?.zClouds.count ?? 0)) requireWithinPlan(plan, 'maxZClouds', wanted.zClouds)
}

/** The same of an app, whose environments are scaled by it where they do not say otherwise. */
export function requireScaleWithinPlan(
  app: { type: string },
  typeConfig: StoredTypeConfig | undefined,
  plan: Pick<Plan, 'name' | 'maxContainers' | 'maxZClouds'>,
): void {
  if (!typeConfig) return
  const { containers } = extentOf(app, { containers: 0, autoScaling: null, typeConfig, zClouds: 0 })
  requireWithinPlan(plan, 'maxContainers', containers)
}
