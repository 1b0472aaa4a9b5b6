import type { AppType } from './app-type.ts'
import { namesOf, presetNamesOf } from './type-names.ts'

/**
 * Checks that the compiler cannot do: throws if an app of the type would be accepted and never run, or never be found.
 */
export function assertComplete(type: AppType, others: readonly AppType[]): void {
  const problems = [...clashes(type, others), ...gaps(type)]
  if (problems.length > 0) throw new Error(`The app type ${type.name} ${problems.join('; it ')}`)
}

function clashes(type: AppType, others: readonly AppType[]): string[] {
  return others.flatMap((other) => {
    const taken = new Set(namesOf(other))
    const shared = namesOf(type).filter((name) => taken.has(name))
    if (type.logType === other.logType) shared.push(type.logType)
    if (fieldOf(type) !== null && fieldOf(type) === fieldOf(other)) shared.push(String(fieldOf(type)))
    return shared.map((name) => `shares the name ${name} with ${other.name}`)
  })
}

const fieldOf = (type: AppType) => type.config?.field ?? null

const SOME_CONTAINERS = [1, 2, 3]

function gaps(type: AppType): string[] {
  const { workload, defaultPreset, config } = type
  const problems: string[] = []
  if (defaultPreset !== null && !presetNamesOf(type).includes(defaultPreset))
    problems.push(`has no preset ${defaultPreset}, which is its default`)
  if (config && !config.schema.description) problems.push(`has no description of ${config.field}`)
  if (workload.kind === 'ON_DEMAND') return problems
  const { replicas, autoscales } = workload.scaling
  for (const containers of SOME_CONTAINERS) {
    if (replicas(containers) < 1) problems.push(`runs nothing when ${containers} containers are configured`)
    if (autoscales && replicas(containers) !== containers)
      problems.push(`autoscales, and runs ${replicas(containers)} containers when ${containers} are configured`)
  }
  return problems
}
