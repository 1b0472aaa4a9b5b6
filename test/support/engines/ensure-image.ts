import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type Docker from 'dockerode'
import type { Engine } from '../../../src/app-types/engines/engine.ts'
import { findEngine } from '../../../src/app-types/engines/engines.ts'
import { STAND_INS } from './list.ts'
import type { StandIn } from './stand-in.ts'

/** What a stand-in is, on its image. An image without it is the official one. */
export const STAND_IN_LABEL = 'berth.stand-in'
export const RECIPE_LABEL = 'berth.stand-in.recipe'

const MAKE_TIMEOUT_MS = 600_000
const PROGRAMS = ['apt-get', 'dpkg-deb', 'flock', 'ldconfig', 'npm']

/**
 * Sees to it that the engine's images are there, under their official names: official ones that this machine has are
 * used as they are; otherwise stand-ins are made once, and kept until their recipe changes. False, with the reason
 * printed, where they cannot be made.
 */
export async function ensureEngineImages(docker: Docker, engine: Engine): Promise<boolean> {
  const standIn = STAND_INS.find((one) => one.engine === engine.name)
  if (!standIn) return skip(engine, 'no stand-in is described for it')
  if (await isCurrent(docker, standIn)) return true
  const missing = missingToMake()
  if (missing) return skip(engine, `its images are made of packages of Debian and npm, which needs ${missing}`)
  // The lock ends with its holder, however that ends.
  const lock = `/var/lock/berth-stand-in-${engine.name.toLowerCase()}`
  const made = [lock, process.execPath, join(import.meta.dirname, 'make-image.ts'), engine.name]
  const { stdout } = await promisify(execFile)('flock', made, { timeout: MAKE_TIMEOUT_MS })
  if (stdout) console.info(stdout.trim())
  return true
}

function skip({ title }: Engine, reason: string): false {
  console.warn(`Skipped: ${title} is not tested: ${reason}`)
  return false
}

function missingToMake(): string | null {
  if (process.getuid?.() !== 0) return 'root'
  return PROGRAMS.find((program) => !isInstalled(program)) ?? null
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Whether every version has an image: an official one, or one of the present recipe. */
export async function isCurrent(docker: Docker, standIn: StandIn): Promise<boolean> {
  const recipe = await recipeOf(standIn)
  const versions = findEngine(standIn.engine)?.versions ?? []
  const labels = await Promise.all(versions.map(({ image }) => labelsOf(docker, image)))
  return labels.every((found) => found && (!(STAND_IN_LABEL in found) || found[RECIPE_LABEL] === recipe))
}

const labelsOf = (docker: Docker, image: string): Promise<Record<string, string> | null> =>
  docker
    .getImage(image)
    .inspect()
    .then(
      ({ Config }) => Config.Labels ?? {},
      () => null,
    )

/** A hash of every file that decides what is in the image. */
export async function recipeOf({ engine, filledBy = [] }: StandIn): Promise<string> {
  const shared = ['debian-root.sh', 'make-image.ts', ...filledBy].map((name) => join(import.meta.dirname, name))
  const folder = join(import.meta.dirname, engine.toLowerCase())
  const own = (await readdir(folder)).toSorted().map((name) => join(folder, name))
  const hash = createHash('sha256')
  for (const path of [...shared, ...own]) hash.update(await readFile(path))
  return hash.digest('hex').slice(0, 12)
}
