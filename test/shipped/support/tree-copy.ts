import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { endProcessesOf } from './processes.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PREFIX = 'berth-shipped-'
/** Made of other files alone, in the seconds of a first start that say nothing of Berth. */
const GENERATED = ['src/storage/database/generated', 'console/dist']

/**
 * A copy of the project as it stands in the work tree, with its dependencies installed, in which nothing has run yet:
 * it has no data, and nothing is compiled. A user's own Berth may run in the work tree itself.
 */
export function copyTree(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`)))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  })
  for (const path of listed.split('\0')) {
    // A file that was deleted since the last commit is still listed.
    if (path === '' || !existsSync(join(ROOT, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    copyFileSync(join(ROOT, path), join(folder, path))
  }
  for (const generated of GENERATED) {
    if (existsSync(join(ROOT, generated))) cpSync(join(ROOT, generated), join(folder, generated), { recursive: true })
  }
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(folder, 'node_modules'))
  return folder
}

export const removeTree = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/** Copies whose test run was killed: their processes are ended, and all that they made is removed. */
export async function removeAbandonedTrees(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1])
    if (!pid || existsSync(`/proc/${pid}`)) continue
    const folder = realpathSync(join(tmpdir(), name))
    await endProcessesOf(folder)
    // A process that went on while the tree was removed leaves its data without a program.
    const canReset = ['.berth', 'package.json'].every((part) => existsSync(join(folder, part)))
    if (canReset) execFileSync('npm', ['run', 'reset', '--', '--yes'], { cwd: folder })
    removeTree(folder)
  }
}
