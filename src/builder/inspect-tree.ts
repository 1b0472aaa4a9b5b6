import { detectPreset } from '../app-types/presets/detect-preset.ts'
import type { SourceFacts } from '../app-types/presets/preset.ts'
import { findBuildPreset } from '../app-types/presets.ts'
import { BuildFailure } from '../domain/build-failure.ts'
import { contextFolder, findDockerfile, USUAL_PATH } from './dockerfile/dockerfile.ts'
import { readDockerfile } from './dockerfile/dockerfile-instructions.ts'
import { readFacts } from './source-facts.ts'

/** In the order in which Docker Compose looks for them. */
const COMPOSE_FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']
export const MAX_SHOWN = 1_000
export const MAX_PORTS = 20
const MAX_PORT = 65_535

/** What a source looks like, before anything is built of it. */
export interface InspectedSource {
  /** The preset that its files show, and the version that is built unless another is chosen. */
  preset: string | null
  presetVersion: string | null
  /** The file that shows the preset. */
  sign: string | null
  /** Why no preset builds it. */
  problem: string | null
  /** Null where there is none: the preset writes one. */
  dockerfilePath: string | null
  composePath: string | null
  /** Of the Dockerfile, or of the one that the preset writes. */
  startCommand: string | null
  ports: number[]
}

/** Reads the same files as a build does, and none through a link. Throws BuildFailure. */
export async function inspectTree(tree: string, contextDir: string): Promise<InspectedSource> {
  const context = await contextFolder(tree, contextDir)
  const facts = await readFacts(context)
  const own = await findDockerfile(tree, context, USUAL_PATH)
  const shown = presetOf(facts)
  const text = own ?? shown.dockerfile
  return {
    preset: shown.preset,
    presetVersion: shown.presetVersion,
    sign: shown.sign,
    problem: shown.problem,
    dockerfilePath: own === null ? null : USUAL_PATH,
    composePath: COMPOSE_FILES.find((name) => facts.files.has(name)) ?? null,
    ...(text === null ? { startCommand: null, ports: [] } : startOf(text)),
  }
}

function presetOf(facts: SourceFacts) {
  const nothing = { preset: null, presetVersion: null, sign: null, dockerfile: null }
  const detected = detectPreset(facts)
  if ('problem' in detected) return { ...nothing, problem: detected.problem.slice(0, MAX_SHOWN) }
  const { preset, sign } = detected
  const build = findBuildPreset(preset)
  if (!build) throw new Error(`${preset} was detected, and writes no Dockerfile`)
  const found = { preset, presetVersion: build.defaultVersion, sign: sign.slice(0, MAX_SHOWN) }
  try {
    const dockerfile = build.dockerfile({ version: build.defaultVersion, facts, buildVariables: [], cacheScope: null })
    return { ...found, dockerfile, problem: null }
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error
    return { ...found, dockerfile: null, problem: error.message.slice(0, MAX_SHOWN) }
  }
}

/** Of the last stage, as far as the text itself says: a base image may say more. */
function startOf(text: string): Pick<InspectedSource, 'startCommand' | 'ports'> {
  const { instructions } = readDockerfile(text, { isLenient: true })
  const lastStage = instructions.slice(instructions.findLastIndex(({ keyword }) => keyword === 'FROM') + 1)
  const last = (wanted: string) => lastStage.findLast(({ keyword }) => keyword === wanted)?.rest.trim() ?? ''
  const command = [last('ENTRYPOINT'), last('CMD')].filter((part) => part !== '').join(' ')
  const ports = lastStage
    .filter(({ keyword }) => keyword === 'EXPOSE')
    .flatMap(({ rest }) => rest.trim().split(/\s+/))
    .map((port) => Number(/^(\d{1,5})(?:\/tcp)?$/i.exec(port)?.[1] ?? 0))
    .filter((port) => port > 0 && port <= MAX_PORT)
  return {
    startCommand: command === '' ? null : command.slice(0, MAX_SHOWN),
    ports: [...new Set(ports)].slice(0, MAX_PORTS),
  }
}
