/** In MB. */
export interface MachineMemory {
  totalMb: number
  /** What programs may still take, without swap. */
  availableMb: number
  freeSwapMb: number
}

export function machineMemory(): MachineMemory
