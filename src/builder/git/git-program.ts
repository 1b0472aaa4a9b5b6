import { BuildFailure } from '../../domain/build-failure.ts'
import { type OutputFile, ProgramMissing, runProgram } from '../program.ts'

export interface GitRun {
  /** Working directory; git reads no configuration outside it. */
  directory: string
  /** Settings for this run only. They go through the environment, which other users of the machine cannot read. */
  settings: Readonly<Record<string, string>>
  signal: AbortSignal
  /** Gets the output; when omitted, its beginning is collected and returned. */
  outputFile?: OutputFile
}

/** No other helper, hook, filter or protocol: a repository must not decide which programs run here. */
const SAFE_SETTINGS: Readonly<Record<string, string>> = {
  'protocol.allow': 'never',
  'protocol.https.allow': 'always',
  'protocol.http.allow': 'always',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.protectNTFS': 'true',
  'core.protectHFS': 'true',
  'credential.helper': '',
  'transfer.fsckObjects': 'true',
  'transfer.bundleURI': 'false',
  'submodule.recurse': 'false',
  'http.followRedirects': 'false',
  'http.lowSpeedLimit': '1000',
  'http.lowSpeedTime': '30',
  'gc.auto': '0',
  'advice.detachedHead': 'false',
  'init.defaultBranch': 'main',
}

function environmentOf(directory: string, settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const pairs = Object.entries({ ...SAFE_SETTINGS, ...settings })
  const numbered = pairs.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return {
    PATH: process.env.PATH,
    HOME: directory,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ALLOW_PROTOCOL: 'https:http',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_CONFIG_COUNT: String(pairs.length),
    ...Object.fromEntries(numbered),
  }
}

/** Runs git. Throws ProgramFailure with its error output. */
export async function runGit(args: readonly string[], { directory, settings, ...run }: GitRun): Promise<string> {
  const environment = environmentOf(directory, settings)
  try {
    return await runProgram('git', args, { directory, environment, ...run })
  } catch (error) {
    if (!(error instanceof ProgramMissing)) throw error
    throw new BuildFailure('SOURCE_NOT_CONFIGURED', 'The program git is not installed on the machine of this worker')
  }
}
