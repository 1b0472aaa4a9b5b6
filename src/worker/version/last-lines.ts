import type { ObservedReplica } from '../../engines/runtime/container-runtime.ts'
import type { EnvironmentContext } from '../context/environment-context.ts'
import { FailureExcerpt } from '../text/failure-excerpt.ts'
import { plainText } from '../text/plain-text.ts'

/** Of the last run of a container, to find what explains its end. */
const LINES_READ = 60

/** What a replica said in the observed run explains more than any probe. Begins with a line break, unless it said nothing. */
export async function lastLines(
  { engine, signal, mask: loadMask }: EnvironmentContext,
  replica: Pick<ObservedReplica, 'name' | 'startedAt'> | null,
): Promise<string> {
  if (!replica) return ''
  const lines = await engine.tail(replica.name, LINES_READ).catch(() => [])
  signal.throwIfAborted()
  // Masked before the excerpt shortens lines: a cut could leave half of a secret.
  const mask = await loadMask()
  const excerpt = new FailureExcerpt()
  const ofRun = lines.filter(({ timestamp }) => timestamp >= (replica.startedAt ?? timestamp))
  for (const { message } of ofRun.length > 0 ? ofRun : lines) excerpt.add(plainText(message, mask))
  return ['', ...excerpt.lines()].join('\n')
}
