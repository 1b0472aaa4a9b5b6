import type { DiskUse } from '../../runtime/container-runtime.ts'

const BYTES_PER_MB = 1024 * 1024

/** The containers that had written more than they may when this worker last measured. */
export class DiskQuota {
  readonly #limitMb: number
  #over = new Map<string, number>()

  constructor(limitMb: number) {
    this.#limitMb = limitMb
  }

  /** Replaces what was measured before. Returns the environments that are over the limit. */
  record(measured: readonly DiskUse[]): string[] {
    const over = measured.filter(({ bytes }) => bytes > this.#limitMb * BYTES_PER_MB)
    this.#over = new Map(over.map(({ containerId, bytes }) => [containerId, Math.ceil(bytes / BYTES_PER_MB)]))
    return [...new Set(over.map(({ appEnvId }) => appEnvId))]
  }

  /** Why the container must be replaced; null while it is within its limit. */
  excessOf(containerId: string): string | null {
    const megabytes = this.#over.get(containerId)
    if (megabytes === undefined) return null
    return `disk: it has written ${megabytes} MB outside of volumes, and may write ${this.#limitMb} MB (BERTH_CONTAINER_DISK_MB)`
  }
}
