import { lstat, readdir, readFile, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { DockerfileRequest } from '../../app-types/presets/preset.ts'
import { buildPresets, findBuildPreset, presetVersion } from '../../app-types/presets.ts'
import { BuildFailure } from '../../domain/build-failure.ts'
import type { BuildPlan } from '../../domain/build-plan.ts'
import { safePath } from '../archive/entry-rules.ts'
import { readFacts } from '../source-facts.ts'

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
  /** It installs dependencies itself: those from another machine stay out of its context. */
  installs: boolean
}

/**
 * The Dockerfile: given inline, at its path, or written by the preset, in this order (§2.1). Paths are relative to the
 * context folder, or to the source's root.
 */
export async function dockerfileFor(
  plan: Pick<BuildPlan, 'dockerfileContent' | 'dockerfilePath' | 'preset' | 'presetVersion'>,
  tree: string,
  context: string,
  writing: Pick<DockerfileRequest, 'buildVariables' | 'cacheScope'>,
): Promise<WrittenDockerfile> {
  if (plan.dockerfileContent)
    return { text: plan.dockerfileContent, origin: 'the app’s own Dockerfile', installs: false }
  const preset = findBuildPreset(plan.preset)
  if (plan.dockerfilePath || !preset) {
    const path = plan.dockerfilePath ?? 'Dockerfile'
    return { text: await readDockerfile(tree, context, path), origin: path, installs: false }
  }
  const version = presetVersion(preset, plan.preset, plan.presetVersion)
  if (version === null) {
    throw new BuildFailure('PRESET_NOT_APPLICABLE', `${plan.preset} has no version ${plan.presetVersion}`)
  }
  const text = preset.dockerfile({ version, facts: await readFacts(context), ...writing })
  return { text, origin: `the preset ${plan.preset} (${version})`, installs: true }
}

async function readDockerfile(tree: string, context: string, path: string): Promise<string> {
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
  const presets = [...buildPresets().keys()].join(', ')
  const advice = `Add one, name its path in dockerfilePath, or choose a dockerPreset that writes one: ${presets}`
  throw new BuildFailure(
    'DOCKERFILE_NOT_FOUND',
    `There is no ${path} in the source, ${await contentsOf(context)}. ${advice}`,
  )
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
