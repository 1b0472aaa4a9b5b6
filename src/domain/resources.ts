/** One zCloud is one zCPU (a thousandth of which is a millicore) and 512 MB, per container. */
export const ZCLOUD = { cpu: 1, memoryMb: 512 } as const

export const Z_CLOUD_SIZES = [1, 2, 4, 8] as const

export interface Resources {
  /** CPU allocation in zCPU; 1 zCPU is one core. */
  cpu: number
  memoryMb: number
}

export const resourcesOf = (zClouds: number): Resources => ({
  cpu: zClouds * ZCLOUD.cpu,
  memoryMb: zClouds * ZCLOUD.memoryMb,
})

/** The size in zClouds that CPU and memory amount to: the larger of the two counts. */
export const zCloudsOf = ({ cpu, memoryMb }: Resources): number =>
  Math.max(cpu / ZCLOUD.cpu, memoryMb / ZCLOUD.memoryMb)
