import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BuildFailure } from '../domain/build-failure.ts'
import { NIXPACKS_FOLDER } from './nixpacks-plan.ts'
import { ProgramFailure, ProgramMissing, runProgram } from './program.ts'
import type { SourceReader } from './source-reader/source-reader.ts'

const MAX_PLAN = 1024 * 1024

/** nixpacks would read it as settings, wherever on this machine it is. */
const REFUSED_SETTINGS = ['NIXPACKS_CONFIG_FILE']

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
  reader: SourceReader
  signal: AbortSignal
  onLine: (line: string) => void
}

/**
 * Lets nixpacks write a Dockerfile for the source, with the values of the arguments that it declares there. The program
 * reads the source and runs nothing of it; what it writes is read by the source reader. Throws BuildFailure.
 */
export async function nixpacksDockerfile(
  run: NixpacksRun,
): Promise<{ text: string; buildArgs: Record<string, string> }> {
  const { context, variables, cacheScope, reader, signal } = run
  // A file of that name in the source would be mistaken for nixpacks' output.
  await rm(join(context, NIXPACKS_FOLDER), { recursive: true, force: true })
  const settings = Object.entries(variables).filter(
    ([name]) => name.startsWith('NIXPACKS_') && !REFUSED_SETTINGS.includes(name),
  )
  const call = (...args: string[]) => nixpacks(run, args, Object.fromEntries(settings))
  const plan = await call('plan', context, '--format', 'json')
  const buildArgs = await reader.read('nixpacksPlan', { text: plan }, signal)
  const cache = cacheScope === null ? ['--no-cache'] : ['--cache-key', cacheScope]
  const said = await call('build', context, '--out', context, '--name', 'berth', ...cache)
  for (const line of said.split('\n')) if (line.trim() !== '') run.onLine(line)
  const text = await reader.read('nixpacksDockerfile', { context, names: Object.keys(variables) }, signal)
  return { text, buildArgs }
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
