import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { WrittenDockerfile } from '../../builder/dockerfile/dockerfile.ts'
import { nixpacksDockerfile } from '../../builder/nixpacks.ts'
import { BuildFailure } from '../../domain/build-failure.ts'
import { NIXPACKS } from '../../domain/build-plan.ts'
import type { FetchedBuild } from './build-context.ts'

interface Writing {
  /** The folder that is built. */
  context: string | null
  cacheScope: string | null
  signal: AbortSignal
}

interface BuildDockerfile extends WrittenDockerfile {
  /** Values of the arguments that it declares. */
  buildArgs?: Readonly<Record<string, string>>
}

/** The Dockerfile of a build, from its builder. Warns of secrets that it would expose. Throws BuildFailure. */
export async function writeDockerfile(building: FetchedBuild, writing: Writing): Promise<BuildDockerfile> {
  const { plan, log, variables, tree, reader } = building
  if (plan.builder === NIXPACKS) return writtenByNixpacks(building, writing)
  const { context, cacheScope, signal } = writing
  const names = Object.keys(variables)
  const { dockerfileContent, dockerfilePath, preset, presetVersion } = plan
  const source = { tree: tree ?? '/nonexistent', context: context ?? '/nonexistent' }
  const given = {
    plan: { dockerfileContent, dockerfilePath, preset, presetVersion },
    buildVariables: names,
    cacheScope,
  }
  const written = await reader.read('writeDockerfile', { ...source, ...given }, signal)
  const secrets = plan.variables.filter(({ isSecret }) => isSecret)
  const secretNames = secrets.map(({ name }) => name).filter((name) => names.includes(name))
  const read = { text: written.text, names: secretNames, target: plan.buildTarget ?? null }
  for (const name of await reader.read('exposedVariables', read, signal)) {
    log.write(
      `Warning: the Dockerfile declares the secret variable ${name} by ARG in what becomes the image, whose history will show its value; declare it in an earlier stage, and copy from there`,
    )
  }
  return written
}

async function writtenByNixpacks(building: FetchedBuild, { context, ...writing }: Writing): Promise<BuildDockerfile> {
  const { attempt, log, variables, directory, tree, reader } = building
  const program = attempt.config.BERTH_NIXPACKS
  if (!program) {
    throw new BuildFailure('BUILDER_NOT_AVAILABLE', 'The worker has no nixpacks: BERTH_NIXPACKS names no program')
  }
  if (context === null) throw new BuildFailure('SOURCE_NOT_CONFIGURED', 'The builder NIXPACKS needs a source')
  // The program follows links, and this machine's files are not the source's.
  if (tree !== null) await reader.read('checkLinks', { tree }, writing.signal)
  const home = join(directory, 'nixpacks')
  await mkdir(home, { recursive: true })
  const onLine = (line: string) => log.write(line)
  const written = await nixpacksDockerfile({ ...writing, program, context, home, variables, reader, onLine })
  return { ...written, origin: 'what nixpacks wrote', path: null, installs: true }
}
