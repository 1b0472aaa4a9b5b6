/** One zCloud is one zCPU (1000 millicores) and 512 MB, per container. */
export const ZCLOUD = { cpu: 1, memoryMb: 512 } as const

export const Z_CLOUD_SIZES = [1, 2, 4, 8] as const

export interface Resources {
  /** CPU allocation in zCPU; 1 zCPU is one core. */
  cpu: number
  memoryMb: number
}

/** The resources of one container of this size: a number of zClouds, unless CPU and memory are set instead. */
export const resourcesOf = ({ zClouds, resources }: { zClouds: number; resources?: Resources | null }): Resources =>
  resources ?? { cpu: zClouds * ZCLOUD.cpu, memoryMb: zClouds * ZCLOUD.memoryMb }

/** The values of an environment's columns; null when its zClouds count. */
export const explicitResources = ({ cpu, memoryMb }: { cpu: number | null; memoryMb: number | null }) =>
  cpu === null || memoryMb === null ? null : { cpu, memoryMb }

/** The size in zClouds of a CPU and memory limit: the larger of the two counts. */
export const zCloudsOf = ({ cpu, memoryMb }: Resources): number =>
  Math.max(cpu / ZCLOUD.cpu, memoryMb / ZCLOUD.memoryMb)
