import { lstat, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { BuildFailure } from '../domain/build-failure.ts'
import { safePath } from './archive/entry-rules.ts'
import { ProgramFailure, ProgramMissing, runProgram } from './program.ts'
import { sealVariables } from './sealed-variables.ts'

const MAX_PLAN = 1024 * 1024
const MAX_DOCKERFILE_BYTES = 256 * 1024
const FOLDER = '.nixpacks'

/** nixpacks would read it as settings, wherever on this machine it is. */
const REFUSED_SETTINGS = ['NIXPACKS_CONFIG_FILE']

const planShape = z.object({
  variables: z.record(z.string(), z.string()).default({}),
  staticAssets: z.record(z.string(), z.string()).default({}),
  phases: z.record(z.string(), z.object({ nixpkgsArchive: z.string().nullish() })).default({}),
})

export interface NixpacksRun {
  /** Path of the program. */
  program: string
  /** The source's folder. What nixpacks writes goes there too. */
  context: string
  /** An empty folder for the program's home. */
  home: string
  /** Values of the BUILD variables, by name. The program gets those that configure it. */
  variables: Readonly<Record<string, string>>
  /** As for presets. */
  cacheScope: string | null
  signal: AbortSignal
  onLine: (line: string) => void
}

/**
 * Lets nixpacks write a Dockerfile for the source, with the values of the arguments that it declares there. The program
 * reads the source and runs nothing of it. Throws BuildFailure.
 */
export async function nixpacksDockerfile(
  run: NixpacksRun,
): Promise<{ text: string; buildArgs: Record<string, string> }> {
  const { context, variables, cacheScope } = run
  const folder = join(context, FOLDER)
  // A file of that name in the source would be mistaken for nixpacks' output.
  await rm(folder, { recursive: true, force: true })
  const settings = Object.entries(variables).filter(
    ([name]) => name.startsWith('NIXPACKS_') && !REFUSED_SETTINGS.includes(name),
  )
  const call = (...args: string[]) => nixpacks(run, args, Object.fromEntries(settings))
  const plan = readPlan(await call('plan', context, '--format', 'json'))
  const cache = cacheScope === null ? ['--no-cache'] : ['--cache-key', cacheScope]
  const said = await call('build', context, '--out', context, '--name', 'berth', ...cache)
  for (const line of said.split('\n')) if (line.trim() !== '') run.onLine(line)
  const text = await readDockerfile(join(folder, 'Dockerfile'))
  // The docker command that it suggests contains every value, and would be copied into the image with the source.
  for (const name of ['build.sh', 'Dockerfile']) await rm(join(folder, name), { force: true })
  return { text: sealVariables(text, Object.keys(variables)), buildArgs: plan.variables }
}

async function nixpacks(run: NixpacksRun, args: readonly string[], settings: Record<string, string>): Promise<string> {
  const { program, home, signal } = run
  // Values go through the environment, which others on this machine cannot read; the command line has only names.
  const environment = { ...settings, PATH: process.env.PATH, HOME: home, LC_ALL: 'C.UTF-8', NO_COLOR: '1' }
  const named = Object.keys(settings).flatMap((name) => ['--env', name])
  let output = ''
  const onOutput = (text: string) => {
    output += text
    if (output.length > MAX_PLAN)
      throw new BuildFailure('BUILD_FAILED', 'nixpacks said more than 1 MB about the source')
  }
  try {
    await runProgram(program, [...args, ...named], { directory: home, environment, signal, onOutput })
    return output
  } catch (error) {
    if (error instanceof ProgramFailure)
      throw new BuildFailure('BUILD_FAILED', `nixpacks: ${error.words || output.trim()}`)
    if (error instanceof ProgramMissing)
      throw new BuildFailure('BUILDER_NOT_AVAILABLE', `${error.message} (BERTH_NIXPACKS)`)
    throw error
  }
}

/** The plan contains the source's own settings. They must not make nixpacks write files outside the source. */
function readPlan(text: string): z.infer<typeof planShape> {
  const plan = parsePlan(text)
  for (const name of Object.keys(plan.staticAssets)) safePath(name)
  for (const { nixpkgsArchive } of Object.values(plan.phases)) {
    if (!/^[\w.-]*$/.test(nixpkgsArchive ?? '')) {
      throw new BuildFailure('SOURCE_REFUSED', 'nixpkgsArchive of the nixpacks settings is not the name of an archive')
    }
  }
  return plan
}

function parsePlan(text: string): z.infer<typeof planShape> {
  try {
    return planShape.parse(JSON.parse(text))
  } catch {
    throw new BuildFailure('BUILD_FAILED', 'nixpacks answered with a plan that cannot be read')
  }
}

async function readDockerfile(file: string): Promise<string> {
  const found = await lstat(file).catch(() => null)
  if (found?.isFile() && found.size <= MAX_DOCKERFILE_BYTES) return readFile(file, 'utf8')
  throw new BuildFailure('DOCKERFILE_NOT_FOUND', 'nixpacks has written no Dockerfile')
}
