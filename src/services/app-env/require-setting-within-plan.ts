import { extentOf, requireExtentWithinPlan, type Sized } from '../plan/extent.ts'
import type { LoadedAppEnv } from '../targets/load-app-env.ts'

/** Throws FORBIDDEN when a setting asks for more than the plan allows, and than is configured already. */
export function requireSettingWithinPlan(appEnv: LoadedAppEnv, change: Partial<Sized>): void {
  const { app, account, containers, autoScaling, zClouds, cpu } = appEnv
  const typeConfig = appEnv.typeConfig ?? app.typeConfig
  const present: Sized = { containers, autoScaling, typeConfig, zClouds, cpu }
  requireExtentWithinPlan(account.plan, extentOf(app, { ...present, ...change }), extentOf(app, present))
}
