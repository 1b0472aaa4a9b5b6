import { resourcesOf } from './resources.ts'

/** What one build may use. */
export interface BuildLimits {
  cpu: number
  memoryMb: number
  diskMb: number
  timeoutSeconds: number
}

export type BuildLimit = keyof BuildLimits

/** The same where each may be left to a default. */
export type BuildResources = { [Limit in BuildLimit]: BuildLimits[Limit] | null }

/** What may be asked for at all, and how a refusal says it. */
export const BUILD_LIMITS = {
  cpu: { min: 0.1, max: 64, words: 'zCPU for a build' },
  memoryMb: { min: 256, max: 1_048_576, words: 'MB of memory for a build' },
  diskMb: { min: 100, max: 1_000_000, words: 'MB of disk for a build' },
  timeoutSeconds: { min: 10, max: 86_400, words: 'seconds for a build' },
} as const satisfies Record<BuildLimit, { min: number; max: number; words: string }>

export const BUILD_LIMIT_NAMES = Object.keys(BUILD_LIMITS) as readonly BuildLimit[]

/** The settings of the installation that hold where neither an app nor its plan says otherwise. */
export interface BuildSettings {
  BERTH_BUILD_Z_CLOUDS: number
  BERTH_BUILD_DISK_MB: number
  BERTH_BUILD_TIMEOUT_SECONDS: number
}

/** As its columns hold them. */
interface BuildPlan {
  buildResources: unknown
  maxBuildResources: unknown
}

/** What is set of a column. */
export function buildResourcesOf(column: unknown): BuildResources {
  const stored = (column ?? {}) as Partial<BuildResources>
  return byLimit((limit) => stored[limit] ?? null)
}

/** What a column holds once this has been set too: null takes a value away, and what is not sent stays. Null: nothing. */
export function changedBuildResources(
  column: unknown,
  sent: { readonly [Limit in BuildLimit]?: number | null | undefined } | null,
): Partial<BuildLimits> | null {
  const present = buildResourcesOf(sent === null ? null : column)
  const wanted = byLimit((limit) => (sent?.[limit] === undefined ? present[limit] : sent[limit]))
  const set = Object.entries(wanted).filter(([, value]) => value !== null)
  return set.length > 0 ? Object.fromEntries(set) : null
}

/** The most that an app on the plan may ask for: where the plan does not say, what builds have by default. */
export function maxBuildLimits(plan: BuildPlan, settings: BuildSettings): BuildLimits {
  const most = buildResourcesOf(plan.maxBuildResources)
  const fallback = defaultBuildLimits(plan, settings)
  return byLimit((limit) => most[limit] ?? fallback[limit])
}

/** What the next build of an app may use. A plan that has become smaller holds for apps that asked for more before. */
export function buildLimitsFor(
  app: { buildResources: unknown },
  plan: BuildPlan,
  settings: BuildSettings,
): BuildLimits {
  const own = buildResourcesOf(app.buildResources)
  const fallback = defaultBuildLimits(plan, settings)
  const most = maxBuildLimits(plan, settings)
  return byLimit((limit) => Math.min(own[limit] ?? fallback[limit], most[limit]))
}

function defaultBuildLimits({ buildResources }: BuildPlan, settings: BuildSettings): BuildLimits {
  const set = buildResourcesOf(buildResources)
  const installation: BuildLimits = {
    ...resourcesOf({ zClouds: settings.BERTH_BUILD_Z_CLOUDS }),
    diskMb: settings.BERTH_BUILD_DISK_MB,
    timeoutSeconds: settings.BERTH_BUILD_TIMEOUT_SECONDS,
  }
  return byLimit((limit) => set[limit] ?? installation[limit])
}

const byLimit = <Value>(of: (limit: BuildLimit) => Value) =>
  Object.fromEntries(BUILD_LIMIT_NAMES.map((limit) => [limit, of(limit)])) as Record<BuildLimit, Value>
