import { getAppType } from '../../app-types/app-types.ts'
import { requestScalingOf } from '../../app-types/behaviours.ts'
import type { StoredTypeConfig } from '../../app-types/type-config.ts'
import { invalidField } from '../../domain/errors.ts'

/** Requests may not ask for more containers than the plan allows an environment. Throws INVALID_INPUT. */
export function requirePlanScale(
  app: { type: string },
  typeConfig: StoredTypeConfig | undefined,
  plan: { name: string; maxContainers: number },
): void {
  const scaling = requestScalingOf(app, { typeConfig: typeConfig ?? null })
  if (!scaling || scaling.maxScale <= plan.maxContainers) return
  const field = `${getAppType(app.type).config?.field}.maxScale`
  throw invalidField(field, `must be at most ${plan.maxContainers} on the plan ${plan.name}`)
}
