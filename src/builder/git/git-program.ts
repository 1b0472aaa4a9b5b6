import { spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { BuildFailure } from '../../domain/build-failure.ts'

const KILL_AFTER_MS = 2_000
const MAX_OUTPUT = 64 * 1024

export interface GitRun {
  /** Where it works; nothing outside of it is read as configuration. */
  directory: string
  /** Settings for this run only. They go by the environment, which other users of the machine cannot read. */
  settings: Readonly<Record<string, string>>
  signal: AbortSignal
  /** Reads what it prints piece by piece; kept and returned when omitted. Throwing ends the program. */
  onOutput?: (text: string) => void
}

/** The program ended with another code than 0; `words` is what it said. */
export class GitFailure extends Error {
  readonly words: string

  constructor(words: string) {
    super(words)
    this.name = 'GitFailure'
    this.words = words
  }
}

/** No helper, hook, filter or protocol but these: a repository decides nothing about what is run here. */
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

/**
 * Runs git, without a shell, and ends it with everything that it has started when the signal fires. Throws GitFailure.
 * The only place from which a program is started.
 */
export async function runGit(args: readonly string[], run: GitRun): Promise<string> {
  run.signal.throwIfAborted()
  const child = spawn('git', args, {
    cwd: run.directory,
    env: environmentOf(run.directory, run.settings),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that its helpers end with it.
    detached: true,
  })
  const end = (signal: NodeJS.Signals) => {
    try {
      if (child.pid) process.kill(-child.pid, signal)
    } catch {
      // It has ended already.
    }
  }
  const stop = () => {
    end('SIGTERM')
    setTimeout(() => end('SIGKILL'), KILL_AFTER_MS).unref()
  }
  run.signal.addEventListener('abort', stop, { once: true })
  let output = ''
  let words = ''
  let objection: unknown = null
  const decoder = new StringDecoder('utf8')
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      const text = decoder.write(chunk)
      if (run.onOutput && !objection) run.onOutput(text)
      else if (output.length < MAX_OUTPUT) output += text
    } catch (error) {
      objection = error
      stop()
    }
  })
  child.stderr.on('data', (chunk: Buffer) => {
    words = (words + chunk).slice(-MAX_OUTPUT)
  })
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    if (objection) throw objection
    run.signal.throwIfAborted()
    if (code !== 0) throw new GitFailure(words.trim())
    return output
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new BuildFailure('SOURCE_NOT_CONFIGURED', 'The program git is not installed on the machine of this worker')
  } finally {
    run.signal.removeEventListener('abort', stop)
  }
}
