import { getAppType } from '../../app-types/app-types.ts'
import { requestScalingOf } from '../../app-types/behaviours.ts'
import type { StoredTypeConfig } from '../../app-types/type-config.ts'
import type { Plan } from '../../database/generated/prisma/client.ts'
import { requireWithinPlan } from '../plan/plan-limits.ts'

/** Requests may not ask for more containers than the plan allows an environment. Throws FORBIDDEN. */
export function requirePlanScale(
  app: { type: string },
  typeConfig: StoredTypeConfig | undefined,
  plan: Pick<Plan, 'name' | 'maxContainers'>,
): void {
  const scaling = requestScalingOf(app, { typeConfig: typeConfig ?? null })
  if (!scaling) return
  const field = `${getAppType(app.type).config?.field}.maxScale`
  requireWithinPlan(plan, 'maxContainers', { field, count: scaling.maxScale })
}
