import type { EngineCommand } from '../../app-types/engines/engine.ts'
import { type Reading, readingOf } from '../../app-types/engines/engine-metrics.ts'
import type { ExecOptions, ExecResult } from '../../engines/runtime/container-runtime.ts'

const ANSWER_SECONDS = 10
const MAX_ANSWER_BYTES = 256 * 1024

interface Question {
  /** Key of the query: one of the same key that is still running in the container is ended. */
  key: 'metrics' | 'clients'
  command: EngineCommand
  environment: Readonly<Record<string, string>>
  /** Runs a command in the engine's container. */
  exec: (command: EngineCommand, options: ExecOptions & { timeoutSeconds: number }) => Promise<ExecResult>
  timeoutSeconds?: number
}

/**
 * Has an engine report its numbers. Throws when it does not within the time, or prints without end. What it says of
 * errors may hold secrets, and is in no message.
 */
export async function askEngine({ key, command, environment, exec, timeoutSeconds }: Question): Promise<Reading> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const output = (chunk: Uint8Array) => {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`The metrics command printed more than ${MAX_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  const { exitCode } = await exec(command, {
    key,
    output,
    environment: { ...environment },
    timeoutSeconds: timeoutSeconds ?? ANSWER_SECONDS,
  })
  if (exitCode !== 0) throw new Error(`The metrics command ended with ${exitCode}`)
  return readingOf(Buffer.concat(chunks).toString(), performance.now())
}
