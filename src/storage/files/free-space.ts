import { statfs } from 'node:fs/promises'

/** Of the disk that a folder is on. */
export interface FreeSpace {
  bytes: number
  /** Null where the file system makes inodes as it needs them. */
  inodes: number | null
}

export async function readFreeSpace(folder: string): Promise<FreeSpace> {
  const { bavail, bsize, files, ffree } = await statfs(folder)
  return { bytes: bavail * bsize, inodes: files > 0 ? ffree : null }
}
