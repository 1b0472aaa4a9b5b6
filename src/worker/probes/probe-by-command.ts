import { LastWords } from '../../engines/last-words.ts'
import { type ObservedReplica, RuntimeError } from '../../engines/runtime/container-runtime.ts'
import type { Readiness } from '../../engines/runtime/readiness.ts'
import type { LeasedEngine } from '../engine/leased-engine.ts'

const MAX_REASON = 300

/** A command of the same key that still runs in the container is ended first: one at most is in progress. */
const KEY = 'probe'

interface CommandProbe {
  command: readonly [string, ...string[]]
  timeoutSeconds: number
}

/**
 * Runs a probe's command in the container: exit code 0 is healthy. It is ended when its time is up. The reason quotes the
 * last line that it printed, which may hold secrets: it is for `quote`.
 */
export async function probeByCommand(
  { engine }: { engine: Pick<LeasedEngine, 'exec'> },
  { name }: Pick<ObservedReplica, 'name'>,
  { command, timeoutSeconds }: CommandProbe,
): Promise<Readiness> {
  const printed = new LastWords()
  const output = (chunk: Uint8Array) => printed.add(chunk)
  try {
    const { exitCode, errorOutput } = await engine.exec(name, command, { key: KEY, timeoutSeconds, output })
    if (exitCode === 0) return { ready: true, reason: '' }
    const said = lastLine(errorOutput) ?? lastLine(printed.text)
    return { ready: false, reason: `${command[0]} ended with exit code ${exitCode}${said ? `: ${said}` : ''}` }
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error
    if (error.reason !== 'COMMAND_TIMEOUT')
      return { ready: false, reason: `${command[0]} cannot be run: ${error.message}` }
    return { ready: false, reason: `${command[0]} did not end within ${timeoutSeconds} s` }
  }
}

const lastLine = (text: string): string | undefined =>
  text.trim() === '' ? undefined : text.trim().split('\n').at(-1)?.slice(0, MAX_REASON)
