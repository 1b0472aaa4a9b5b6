import type { Engine } from '../../app-types/engines/engine.ts'
import type { ObservedReplica } from '../../runtime/container-runtime.ts'
import { RuntimeError } from '../../runtime/container-runtime.ts'
import type { Readiness } from '../../runtime/readiness.ts'
import type { LeasedEngine } from '../engine/leased-engine.ts'

const ANSWER_SECONDS = 10
const LONGEST_REASON = 300

/** Asks a managed service itself: its server may accept connections long before it serves clients. */
export async function probeService(
  engine: LeasedEngine,
  { health, title }: Engine,
  { name }: Pick<ObservedReplica, 'name'>,
): Promise<Readiness> {
  try {
    const { exitCode, errorOutput } = await engine.exec(name, health, { key: 'health', timeoutSeconds: ANSWER_SECONDS })
    if (exitCode === 0) return { ready: true, reason: '' }
    const said = errorOutput.trim().split('\n').at(-1)?.slice(0, LONGEST_REASON)
    return { ready: false, reason: `${title} does not serve clients yet${said ? `: ${said}` : ''}` }
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error
    return { ready: false, reason: `${title} does not answer: ${error.message}` }
  }
}
