import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** Of the image. */
const PLACE = 'opt/stand-in'
const NPM = ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']

interface NodePrograms {
  /** Of npm, each with its version. Their own scripts do not run. */
  packages: readonly [string, ...string[]]
  /** Paths in the image, and the files of this machine that Node.js runs by them. */
  programs: Readonly<Record<string, string>>
  /** Files that those import. */
  modules?: readonly string[]
}

/** Adds the Node.js of this project, packages of npm, and programs that use them. */
export async function addNodePrograms(
  folder: string,
  { packages, programs, modules = [] }: NodePrograms,
): Promise<void> {
  const place = join(folder, PLACE)
  await mkdir(place, { recursive: true })
  await copyFile(process.execPath, join(folder, 'usr/local/bin/node'))
  await promisify(execFile)('npm', [...NPM, `--prefix=${place}`, ...packages])
  for (const file of modules) await copyFile(file, join(place, basename(file)))
  for (const [path, file] of Object.entries(programs)) {
    await copyFile(file, join(place, basename(file)))
    const program = join(folder, path)
    await mkdir(dirname(program), { recursive: true })
    await writeFile(program, `#!/bin/sh\nexec node /${PLACE}/${basename(file)} "$@"\n`)
    await chmod(program, 0o755)
  }
}
