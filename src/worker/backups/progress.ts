import type { AttemptContext } from '../attempt/attempt-context.ts'
import type { StepName } from '../attempt/steps.ts'

const PAUSE_MS = 2_000
const MB = 1024 * 1024

export const megabytes = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`

/** Records in the operation's step how far a stream has come, now and then, and without holding it up. */
export function progressOf({ steps, log }: AttemptContext, step: StepName, verb: string): (bytes: number) => void {
  let reportedAt = performance.now()
  return (bytes) => {
    if (performance.now() - reportedAt < PAUSE_MS) return
    reportedAt = performance.now()
    steps.detail(step, `${megabytes(bytes)} ${verb} so far`).catch((error: unknown) => {
      log.debug({ err: error }, 'Progress of a backup was not recorded')
    })
  }
}

/** The same stream, whose bytes are reported. */
export async function* reported(
  content: AsyncIterable<Uint8Array>,
  progress: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of content) {
    yield chunk
    bytes += chunk.length
    progress(bytes)
  }
}
