import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type Docker from 'dockerode'
import type { ProgramImage } from './program-image.ts'

/** Some are compiled in part. */
const MAKE_TIMEOUT_MS = 1_800_000
const RECIPE_LABEL = 'berth.stand-in.recipe'

export { RECIPE_LABEL }

/**
 * Sees to it that the image is there, under its official name: an official one that this machine has is used as it is;
 * otherwise the stand-in is made once, and kept until its recipe changes. It needs root, apt and npm.
 */
export async function ensureProgramImage(docker: Docker, image: ProgramImage): Promise<void> {
  if (await isProgramImageCurrent(docker, image)) return
  const maker = join(import.meta.dirname, 'make-program-image.ts')
  // The lock ends with its holder, however that ends.
  const made = [`/var/lock/berth-program-${image.name}`, process.execPath, maker, image.name]
  const { stdout } = await promisify(execFile)('flock', made, { timeout: MAKE_TIMEOUT_MS })
  if (stdout) console.info(stdout.trim())
}

export async function isProgramImageCurrent(docker: Docker, image: ProgramImage): Promise<boolean> {
  const found = await docker
    .getImage(image.reference)
    .inspect()
    .catch(() => null)
  if (!found) return false
  const labels = found.Config.Labels ?? {}
  return !(RECIPE_LABEL in labels) || labels[RECIPE_LABEL] === (await programRecipeOf(image))
}

/** A hash of every file that decides what is in the image. */
export async function programRecipeOf({ name }: ProgramImage): Promise<string> {
  const folder = join(import.meta.dirname, name)
  const own = (await readdir(folder)).toSorted().map((file) => join(folder, file))
  const shared = [join(import.meta.dirname, 'make-program-image.ts'), DEBIAN_ROOT]
  const hash = createHash('sha256')
  for (const path of [...shared, ...own]) hash.update(await readFile(path))
  return hash.digest('hex').slice(0, 12)
}

/** Assembles the file system of an image. */
export const DEBIAN_ROOT = join(import.meta.dirname, '../engines/debian-root.sh')
