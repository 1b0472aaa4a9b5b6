import type { DiskUse } from '../../engines/runtime/container-runtime.ts'

const BYTES_PER_MB = 1024 * 1024

/** The containers that had written more than they may when this worker last measured. */
export class DiskQuota {
  readonly #limitMb: number
  readonly #maxFiles: number
  #over = new Map<string, string>()

  constructor(limitMb: number, maxFiles = Number.POSITIVE_INFINITY) {
    this.#limitMb = limitMb
    this.#maxFiles = maxFiles
  }

  /** Replaces what was measured before. `files`: of each container, where they were counted. Returns the environments that are over a limit. */
  record(measured: readonly DiskUse[], files: ReadonlyMap<string, number> = new Map()): string[] {
    const over = measured.flatMap(({ containerId, appEnvId, bytes }) => {
      const excess = this.#excess(bytes, files.get(containerId) ?? 0)
      return excess === null ? [] : [{ containerId, appEnvId, excess }]
    })
    this.#over = new Map(over.map(({ containerId, excess }) => [containerId, excess]))
    return [...new Set(over.map(({ appEnvId }) => appEnvId))]
  }

  /** Why the container must be replaced; null while it is within its limits. */
  excessOf(containerId: string): string | null {
    return this.#over.get(containerId) ?? null
  }

  #excess(bytes: number, files: number): string | null {
    if (bytes > this.#limitMb * BYTES_PER_MB)
      return `disk: it has written ${Math.ceil(bytes / BYTES_PER_MB)} MB outside of volumes, and may write ${this.#limitMb} MB (BERTH_CONTAINER_DISK_MB)`
    if (files > this.#maxFiles)
      return `disk: it has made ${files} files outside of volumes, and may make ${this.#maxFiles} (BERTH_CONTAINER_FILES)`
    return null
  }
}
