import type { ImageInfo } from 'dockerode'
import type { DockerEngine } from '../connection.ts'
import { statusOf } from '../engine-answers.ts'

const GONE = 404
const ATTEMPTS = 5

/**
 * The engine's images. With containerd's store, the engine reads one after the other, and answers the whole list with 404 when one
 * is removed meanwhile.
 */
export async function listImages(
  { docker }: DockerEngine,
  filters: Record<string, string[]> | undefined,
  signal: AbortSignal,
): Promise<ImageInfo[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await docker.listImages({ ...(filters ? { filters } : {}), abortSignal: signal })
    } catch (error) {
      if (statusOf(error) !== GONE || attempt === ATTEMPTS) throw error
    }
  }
}
