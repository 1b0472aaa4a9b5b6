import { readFileSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'

const BYTES_PER_MB = 1_048_576

/** The memory of this machine, or of the control group that this process is in, in MB. */
export function machineMemory() {
  // 0, or more than there is, where no group limits it.
  const limit = process.constrainedMemory?.() || Number.POSITIVE_INFINITY
  const available = process.availableMemory?.() ?? freemem()
  return {
    totalMb: Math.floor(Math.min(totalmem(), limit) / BYTES_PER_MB),
    availableMb: Math.floor(Math.min(available, limit) / BYTES_PER_MB),
    freeSwapMb: freeSwapMb(),
  }
}

/** 0 where the system does not say it in a file. */
function freeSwapMb() {
  try {
    return Math.floor(Number(/^SwapFree: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? 0) / 1024)
  } catch {
    return 0
  }
}
