import type { EngineCommand } from '../../app-types/engines/engine.ts'
import { type Reading, readingOf } from '../../app-types/engines/engine-metrics.ts'
import type { ContainerRuntime } from '../../runtime/container-runtime.ts'

const ANSWER_SECONDS = 10
const LARGEST_ANSWER_BYTES = 256 * 1024

interface Question {
  runtime: ContainerRuntime
  container: string
  command: EngineCommand
  environment: Record<string, string>
  signal: AbortSignal
}

/**
 * Has the engine in a container report its numbers. Throws when it does not within the time, or prints without end. What
 * it says of errors may hold secrets, and is in no message.
 */
export async function askEngine({ runtime, container, command, ...options }: Question): Promise<Reading> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const output = (chunk: Uint8Array) => {
    bytes += chunk.length
    if (bytes > LARGEST_ANSWER_BYTES)
      throw new Error(`The metrics command printed more than ${LARGEST_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  const { exitCode } = await runtime.exec(container, command, {
    ...{ key: 'metrics', output, timeoutSeconds: ANSWER_SECONDS },
    ...options,
  })
  if (exitCode !== 0) throw new Error(`The metrics command ended with ${exitCode}`)
  return readingOf(Buffer.concat(chunks).toString(), performance.now())
}
