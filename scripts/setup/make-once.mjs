import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bootId } from './boot-id.mjs'
import { oneAtATime } from './one-at-a-time.mjs'

const DISK_TIMEOUT_MS = 10 * 60_000

/**
 * Makes what is missing by `isCurrent()`, in one command at a time, and waits for the disk. Until it is there, a mark says
 * so: what a power cut has emptied has its name and its date, and looks as if it were whole. `work(keepFor, isCutOff)`:
 * `keepFor` as in `oneAtATime`; after a power cut it makes everything anew.
 */
export async function makeOnce(root, name, isCurrent, work) {
  const folder = join(root, '.setup')
  const mark = join(folder, `making-${name}`)
  const isDone = async () => !existsSync(mark) && (await isCurrent())
  await oneAtATime(root, isDone, async (keepFor) => {
    const isCutOff = existsSync(mark) && readFileSync(mark, 'utf8') !== bootId()
    // A command that was killed may have made everything, and not waited for the disk. Cut off, it keeps its mark: this
    // command may be killed before all is made anew.
    if (isCutOff || !(await isCurrent())) {
      if (!isCutOff) writeMark(root, folder, mark)
      await work(keepFor, isCutOff)
    }
    waitForDisk(root)
    rmSync(mark, { force: true })
  })
}

/** On the disk, with its folder, before anything is made. */
function writeMark(root, folder, mark) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(mark, bootId(), { flush: true })
  for (const each of [folder, root]) {
    const opened = openSync(each, 'r')
    try {
      fsyncSync(opened)
    } catch {
      // Not every system can sync a folder.
    } finally {
      closeSync(opened)
    }
  }
}

/** All at once: one by one, the 30,000 files of packages would take minutes. */
function waitForDisk(root) {
  const options = { stdio: 'ignore', timeout: DISK_TIMEOUT_MS }
  const ofItsOwn = spawnSync('sync', ['-f', root, join(root, 'node_modules')], options)
  if (ofItsOwn.status !== 0) spawnSync('sync', [], options)
}
