import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { dockerfileFor, type WrittenDockerfile } from '../../builder/dockerfile/dockerfile.ts'
import { exposedVariables } from '../../builder/dockerfile/exposed-variables.ts'
import { nixpacksDockerfile } from '../../builder/nixpacks.ts'
import { BuildFailure } from '../../domain/build-failure.ts'
import { NIXPACKS } from '../../domain/build-plan.ts'
import type { BuildContext } from './build-context.ts'

interface Writing {
  /** The source's directory, and the one in it that is built. */
  tree: string | null
  context: string | null
  cacheScope: string | null
  signal: AbortSignal
}

/** The Dockerfile of a build, from its builder. Warns of secrets that it would expose. Throws BuildFailure. */
export async function writeDockerfile(building: BuildContext, writing: Writing): Promise<WrittenDockerfile> {
  const { plan, log, variables } = building
  if (plan.builder === NIXPACKS) return writtenByNixpacks(building, writing)
  const { tree, context, cacheScope } = writing
  const names = Object.keys(variables)
  const given = { buildVariables: names, cacheScope }
  const written = await dockerfileFor(plan, tree ?? '/nonexistent', context ?? '/nonexistent', given)
  const secrets = plan.variables.filter(({ isSecret }) => isSecret)
  const secretNames = secrets.map(({ name }) => name).filter((name) => names.includes(name))
  for (const name of exposedVariables(written.text, secretNames)) {
    log.write(
      `Warning: the Dockerfile declares the secret variable ${name} by ARG in what becomes the image, whose history will tell its value; declare it in an earlier stage, and copy from there`,
    )
  }
  return written
}

async function writtenByNixpacks(building: BuildContext, { context, ...writing }: Writing): Promise<WrittenDockerfile> {
  const { attempt, log, variables, directory } = building
  const program = attempt.config.BERTH_NIXPACKS
  if (!program) {
    throw new BuildFailure('BUILDER_NOT_AVAILABLE', 'The worker has no nixpacks: BERTH_NIXPACKS names no program')
  }
  if (context === null) throw new BuildFailure('SOURCE_NOT_CONFIGURED', 'The builder NIXPACKS needs a source')
  const home = join(directory, 'nixpacks')
  await mkdir(home, { recursive: true })
  const onLine = (line: string) => log.write(line)
  const written = await nixpacksDockerfile({ ...writing, program, context, home, variables, onLine })
  return { ...written, origin: 'what nixpacks wrote', installs: true }
}
