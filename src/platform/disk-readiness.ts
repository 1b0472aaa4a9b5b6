import { access, constants, statfs } from 'node:fs/promises'
import type { PartState } from '../domain/part-states.ts'

/** Below it, an upload or a backup is about to fail. */
const MIN_FREE_MB = 32
/** Each file needs one: without, a disk with free bytes takes no new file. */
const MIN_FREE_INODES = 1_000

export interface DiskUse {
  freeMb: number
  /** Null where the file system makes them as it needs them. */
  freeInodes: number | null
}

export async function readDiskUse(folder: string): Promise<DiskUse> {
  const { bavail, bsize, files, ffree } = await statfs(folder)
  return { freeMb: Math.floor((bavail * bsize) / 1_048_576), freeInodes: files > 0 ? ffree : null }
}

/** Whether a disk has room; `name` completes “The disk of …”. */
export function diskState({ freeMb, freeInodes }: DiskUse, name: string): PartState {
  if (freeMb < MIN_FREE_MB)
    return { ready: false, state: 'DISK_FULL', reason: `The disk of ${name} has ${freeMb} MB left` }
  if (freeInodes !== null && freeInodes < MIN_FREE_INODES)
    return { ready: false, state: 'DISK_FULL', reason: `The disk of ${name} has ${freeInodes} inodes left` }
  return { ready: true, reason: null }
}

/** Whether the disk of the data directory has room, and takes writes. */
export async function diskReadiness(dataDir: string): Promise<PartState> {
  try {
    await access(dataDir, constants.W_OK)
    return diskState(await readDiskUse(dataDir), 'the data directory')
  } catch (error) {
    return { ready: false, reason: `The data directory cannot be written: ${(error as Error).message}` }
  }
}
