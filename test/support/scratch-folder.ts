import { accessSync, constants, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Where Linux keeps files in memory. */
const IN_MEMORY = '/dev/shm'
const ROOM_BYTES = 4 * 1024 ** 3

/**
 * The folder for temporary files of tests: memory when there is plenty, else the system's. A whole run creates and
 * removes hundreds of thousands of files, and on ext4 whoever creates a file searches through those that were removed
 * in the last half minute: a third of all processor time of its databases.
 */
export const scratchFolder = (): string => (process.env.TMPDIR ? tmpdir() : isFit(IN_MEMORY) ? IN_MEMORY : tmpdir())

function isFit(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === folder)
    // Tests run programs that they have just written. Containers have a folder of this name with 64 MB.
    const isExecutable = mount !== undefined && !/\bnoexec\b/.test(mount)
    return isExecutable && bavail * bsize > ROOM_BYTES && process.availableMemory() > 2 * ROOM_BYTES
  } catch {
    return false
  }
}
