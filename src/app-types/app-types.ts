import type { AppType, AppTypeName } from './app-type.ts'
import { functionApp } from './function.ts'
import { job } from './job.ts'
import { web } from './web.ts'

const TYPES: Partial<Record<AppTypeName, AppType>> = { APP: web, FUNCTION: functionApp, JOB: job }

/** Null for a type that the public interface names and this version does not run yet. */
export const findAppType = (name: AppTypeName): AppType | null => TYPES[name] ?? null

export function getAppType(name: AppTypeName): AppType {
  const type = findAppType(name)
  if (!type) throw new Error(`No app type ${name}`)
  return type
}

/** Whether the app runs prebuilt images: it opted in, or its type always does (§4.1 rule 1). */
export const acceptsImage = (app: { type: AppTypeName; useImage: boolean }): boolean =>
  app.useImage || getAppType(app.type).alwaysAcceptsImage

/** Containers that serve an environment once it runs: none for a type that only runs when it is told to. */
export const servingReplicas = (appEnv: { containers: number; app: { type: AppTypeName } }): number =>
  getAppType(appEnv.app.type).hasHosts ? appEnv.containers : 0
