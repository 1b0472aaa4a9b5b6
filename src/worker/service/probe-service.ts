import { recordedConfiguration } from '../../domain/configuration.ts'
import { type ObservedReplica, RuntimeError } from '../../engines/runtime/container-runtime.ts'
import type { Readiness } from '../../engines/runtime/readiness.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'
import { knownService } from './service-container.ts'

const ANSWER_SECONDS = 10
const MAX_REASON = 300

/**
 * Asks a managed service itself: its server may accept connections long before it serves clients. Null for apps that
 * bring their own program, and for a version that Berth does not know: it runs on, and is asked whether it listens.
 */
export async function probeService(
  context: EnvironmentContext,
  appEnv: ClaimedAppEnv,
  content: { configuration: unknown },
  { name }: Pick<ObservedReplica, 'name'>,
): Promise<Readiness | null> {
  const service = knownService(context, appEnv, recordedConfiguration(content))
  if (!service) return null
  const { health, title } = service.engine
  // The container may have been made with passwords that were rotated since.
  const { environment } = service.container
  try {
    const options = { key: 'health', environment, timeoutSeconds: ANSWER_SECONDS }
    const { exitCode, errorOutput } = await context.engine.exec(name, health, options)
    if (exitCode === 0) return { ready: true, reason: '' }
    const said = errorOutput.trim().split('\n').at(-1)?.slice(0, MAX_REASON)
    return { ready: false, reason: `${title} does not serve clients yet${said ? `: ${said}` : ''}` }
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error
    return { ready: false, reason: `${title} does not answer: ${error.message}` }
  }
}
