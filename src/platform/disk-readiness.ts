import { access, constants, statfs } from 'node:fs/promises'
import type { PartState } from '../domain/part-states.ts'

/** Below it, an upload or a backup is about to fail. */
const MIN_FREE_MB = 32

/** Whether the disk of the data directory has room, and takes writes. */
export async function diskReadiness(dataDir: string): Promise<PartState> {
  try {
    await access(dataDir, constants.W_OK)
    const { bavail, bsize } = await statfs(dataDir)
    const freeMb = Math.floor((bavail * bsize) / 1_048_576)
    if (freeMb >= MIN_FREE_MB) return { ready: true, reason: null }
    return { ready: false, state: 'DISK_FULL', reason: `The disk of the data directory has ${freeMb} MB left` }
  } catch (error) {
    return { ready: false, reason: `The data directory cannot be written: ${(error as Error).message}` }
  }
}
