import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk extends Disposable {
  folder: string
  fill(): void
  free(): void
  /** Whether it takes writes. Nothing may be open for writing on one that no longer does. */
  setWritable(isWritable: boolean): void
}

/** A file system of its own that is quickly full. Needs root. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'bd-'))
  run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder)
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      // Whoever else writes to it may take some of the room between the two calls; what is then left is asked again.
      for (;;) {
        const { bavail, bsize } = statfsSync(folder)
        if (bavail === 0 || allocate(filler, bavail * bsize)) return
      }
    },
    free: () => rmSync(filler, { force: true }),
    setWritable: (isWritable) => run('mount', '-o', `remount,${isWritable ? 'rw' : 'ro'}`, folder),
    [Symbol.dispose]() {
      run('umount', '-l', folder)
      rmdirSync(folder)
    },
  }
}

/** Why no such disk can be mounted here; null where it can. */
export function smallDiskProblem(): string | null {
  try {
    mountSmallDisk(1)[Symbol.dispose]()
    return null
  } catch (error) {
    return (error as Error).message
  }
}

function allocate(file: string, bytes: number): boolean {
  const { status, stderr } = spawnSync('fallocate', ['-l', String(bytes), file])
  if (status === 0) return true
  if (String(stderr).includes('No space left')) return false
  throw new Error(`fallocate -l ${bytes} ${file}: ${stderr}`)
}

function run(command: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(command, args)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
}
