import { zCloudsOf } from '../../../../src/domain/resources.ts'

/** A component of the plan that a dry run shows. The API has it as JSON: what is not there is not shown. */
export interface Planned {
  key: string
  name: string
  appName: string
  dockerPreset: string
  dependsOn: readonly string[]
  image: string | null
  build: { contextDir?: string } | null
  port: number | null
  containers: number
  size: { cpu: number; memoryMb: number } | null
  hosts: readonly string[]
  variables: readonly string[]
  volume: { path: string; disk: number } | null
}

interface Plan {
  components: Planned[]
  /** What of a compose file is not needed, and why. */
  noEffect: string[]
}

/** Null where the changes have no plan. */
export function planOf(changes: unknown): Plan | null {
  if (typeof changes !== 'object' || changes === null || !('plan' in changes)) return null
  const { plan, noEffect } = changes as { plan: Planned[]; noEffect?: unknown }
  return { components: plan, noEffect: Array.isArray(noEffect) ? noEffect.map(String) : [] }
}

/** Of all containers together. */
export const zCloudsOfPlan = (components: readonly Planned[]): number =>
  components.reduce((sum, { size, containers }) => sum + (size ? zCloudsOf(size) * (containers || 1) : 0), 0)
