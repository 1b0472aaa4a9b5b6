import type Docker from 'dockerode'
import { addNode, importRoot } from './image-root.ts'

const REGISTRY_IMAGE = 'node:24-alpine'
const ASSEMBLED_IMAGE = `berth-base-node:${process.versions.node}`
const PULL_TIMEOUT_MS = 120_000

/**
 * An image with Node.js and a user `node`. From the registry when one answers; otherwise, or when `offline`, assembled
 * from the Node.js that runs this script and the libraries it needs.
 */
export async function ensureBaseImage(docker: Docker, { offline = false } = {}): Promise<string> {
  if (!offline) {
    if ((await hasImage(docker, REGISTRY_IMAGE)) || (await pull(docker, REGISTRY_IMAGE))) return REGISTRY_IMAGE
    if (process.platform !== 'linux') {
      throw new Error(`No registry answers for ${REGISTRY_IMAGE}, and this machine's Node.js is not a Linux program`)
    }
  }
  if (!(await hasImage(docker, ASSEMBLED_IMAGE))) await importRoot(docker, ASSEMBLED_IMAGE, addNode)
  return ASSEMBLED_IMAGE
}

const hasImage = (docker: Docker, reference: string): Promise<boolean> =>
  docker
    .getImage(reference)
    .inspect()
    .then(
      () => true,
      () => false,
    )

/** Reads a progress stream of the engine to its end; a failure is a line in it, not a status code. */
export function finished(docker: Docker, progress: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, steps: { error?: string }[] = []) => {
      const failure = error?.message ?? steps.find((step) => step.error)?.error
      if (failure) reject(new Error(failure))
      else resolve()
    }
    docker.modem.followProgress(progress, done)
  })
}

async function pull(docker: Docker, reference: string): Promise<boolean> {
  try {
    const abortSignal = AbortSignal.timeout(PULL_TIMEOUT_MS)
    await finished(docker, await docker.pull(reference, { abortSignal }))
    return true
  } catch {
    return false
  }
}
