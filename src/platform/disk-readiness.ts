import { access, constants } from 'node:fs/promises'
import type { PartState } from '../domain/part-states.ts'
import { type FreeSpace, readFreeSpace } from '../storage/files/free-space.ts'

const BYTES_PER_MB = 1_048_576

/** Below it, an upload or a backup is about to fail. */
const MIN_FREE_MB = 32
/** Each file needs one: without, a disk with free bytes takes no new file. */
const MIN_FREE_INODES = 1_000

/** Whether a disk has room; `name` completes “The disk of …”. */
export function diskState({ bytes, inodes }: FreeSpace, name: string): PartState {
  const freeMb = Math.floor(bytes / BYTES_PER_MB)
  if (freeMb < MIN_FREE_MB)
    return { ready: false, state: 'DISK_FULL', reason: `The disk of ${name} has ${freeMb} MB left` }
  if (inodes !== null && inodes < MIN_FREE_INODES)
    return { ready: false, state: 'DISK_FULL', reason: `The disk of ${name} has ${inodes} inodes left` }
  return { ready: true, reason: null }
}

/** Whether the disk of the data directory has room, and takes writes. */
export async function diskReadiness(dataDir: string): Promise<PartState> {
  try {
    await access(dataDir, constants.W_OK)
    return diskState(await readFreeSpace(dataDir), 'the data directory')
  } catch (error) {
    return { ready: false, reason: `The data directory cannot be written: ${(error as Error).message}` }
  }
}
