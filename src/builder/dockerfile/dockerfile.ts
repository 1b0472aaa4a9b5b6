import { lstat, readdir, readFile, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { detectPreset } from '../../app-types/presets/detect-preset.ts'
import type { DockerfileRequest } from '../../app-types/presets/preset.ts'
import { buildPresets, findBuildPreset, presetVersion } from '../../app-types/presets.ts'
import { BuildFailure } from '../../domain/build-failure.ts'
import type { BuildPlan } from '../../domain/build-plan.ts'
import { safePath } from '../archive/entry-rules.ts'
import { readFacts } from '../source-facts.ts'

/** Where a Dockerfile is looked for unless another path is named. */
export const USUAL_PATH = 'Dockerfile'
const MAX_BYTES = 256 * 1024
const NAMES_SHOWN = 5
const NAME_CHARACTERS = 60

/** A folder of the source. It must be a folder, and inside the source through any links. */
export async function contextFolder(tree: string, contextDir: string): Promise<string> {
  const wanted = join(tree, safePath(contextDir))
  const folder = await realpath(wanted).catch(() => null)
  if (!folder || !(await lstat(folder)).isDirectory()) {
    throw new BuildFailure('SOURCE_REFUSED', `The source has no folder ${JSON.stringify(contextDir)}`)
  }
  assertInside(await realpath(tree), folder, contextDir)
  return folder
}

export interface WrittenDockerfile {
  text: string
  /** Where it comes from, for the log. */
  origin: string
  /** Its path, where it is a file of the source. */
  path: string | null
  /** It installs dependencies itself: those from another machine stay out of its context. */
  installs: boolean
}

/**
 * The Dockerfile: given inline, at its path, or written by the preset, in this order (§2.1); where there is none of them, by
 * the preset that the source's files show. Paths are relative to the context folder, or to the source's root.
 */
export async function dockerfileFor(
  plan: Pick<BuildPlan, 'dockerfileContent' | 'dockerfilePath' | 'preset' | 'presetVersion'>,
  tree: string,
  context: string,
  writing: Writing,
): Promise<WrittenDockerfile> {
  if (plan.dockerfileContent)
    return { text: plan.dockerfileContent, origin: 'the app’s own Dockerfile', path: null, installs: false }
  const own = findBuildPreset(plan.preset)
  if (plan.dockerfilePath || !own) {
    const path = plan.dockerfilePath ?? USUAL_PATH
    const text = await findDockerfile(tree, context, path)
    if (text !== null) return { text, origin: path, path, installs: false }
    if (own || path !== USUAL_PATH) throw missing(path, await contentsOf(context))
    return detectedDockerfile(context, writing)
  }
  const version = presetVersion(own, plan.preset, plan.presetVersion)
  if (version === null) {
    throw new BuildFailure('PRESET_NOT_APPLICABLE', `${plan.preset} has no version ${plan.presetVersion}`)
  }
  const text = own.dockerfile({ version, facts: await readFacts(context), ...writing })
  return { text, origin: `the preset ${plan.preset} (${version})`, path: null, installs: true }
}

type Writing = Pick<DockerfileRequest, 'buildVariables' | 'cacheScope'>

/** Of a source without a Dockerfile, for which no preset was chosen: by the preset that its files show. */
async function detectedDockerfile(context: string, writing: Writing): Promise<WrittenDockerfile> {
  const facts = await readFacts(context)
  const detected = detectPreset(facts)
  if ('problem' in detected) throw missing(USUAL_PATH, await contentsOf(context), detected.problem)
  const { preset, sign } = detected
  const build = findBuildPreset(preset)
  if (!build) throw new Error(`${preset} was detected, and writes no Dockerfile`)
  const version = build.defaultVersion
  try {
    const text = build.dockerfile({ version, facts, ...writing })
    const origin = `the preset ${preset} (${version}): there is no ${USUAL_PATH}, and there is ${sign}. Set dockerPreset to choose another`
    return { text, origin, path: null, installs: true }
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error
    const looks = `There is no ${USUAL_PATH} in the source, which looks like one for the preset ${preset} (${sign})`
    throw new BuildFailure(error.reason, `${looks}: ${error.message}`)
  }
}

/** Its text, from the context folder or the source's root; null where there is none. */
export async function findDockerfile(tree: string, context: string, path: string): Promise<string | null> {
  const clean = safePath(path)
  const root = await realpath(tree)
  for (const folder of [context, tree]) {
    const file = await realpath(join(folder, clean)).catch(() => null)
    if (!file) continue
    assertInside(root, file, path)
    const { size } = await lstat(file)
    if (size > MAX_BYTES) throw new BuildFailure('DOCKERFILE_INVALID', `${path} is larger than ${MAX_BYTES / 1024} KB`)
    return readFile(file, 'utf8').catch(() => {
      throw new BuildFailure('DOCKERFILE_INVALID', `${path} is not a file`)
    })
  }
  return null
}

function missing(path: string, contents: string, problem?: string): BuildFailure {
  const presets = [...buildPresets().keys()].join(', ')
  const advice = `Add one, name its path in dockerfilePath, or choose a dockerPreset that writes one: ${presets}`
  const looked = problem === undefined ? '' : `, and its files show no preset: ${problem}`
  return new BuildFailure('DOCKERFILE_NOT_FOUND', `There is no ${path} in the source, ${contents}${looked}. ${advice}`)
}

/** A name in other letters, or a folder around everything, is seen at once. */
async function contentsOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).sort()
  if (names.length === 0) return 'which is empty'
  const shown = names.slice(0, NAMES_SHOWN).map((name) => name.slice(0, NAME_CHARACTERS))
  return `which holds ${shown.join(', ')}${names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : ''}`
}

function assertInside(root: string, path: string, name: string): void {
  const way = relative(root, path)
  if (way !== '..' && !way.startsWith(`..${sep}`)) return
  throw new BuildFailure('SOURCE_REFUSED', `${JSON.stringify(name)} leads out of the source`)
}
