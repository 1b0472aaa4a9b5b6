import { type ObservedReplica, RuntimeError } from '../../engines/runtime/container-runtime.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'

/** The running container that has the service's data. */
export function primaryOf(observed: readonly ObservedReplica[], rolloutId: string | null): ObservedReplica | null {
  return observed.find((one) => one.rolloutId === rolloutId && one.index === 0 && one.phase === 'running') ?? null
}

/** The same, asked for now. Throws NOT_RUNNING, with what is not possible without it. */
export async function runningPrimary({ engine, appEnv }: AttemptContext, impossible: string): Promise<ObservedReplica> {
  const primary = primaryOf(await engine.observe(), appEnv.rolloutId)
  if (!primary) throw new RuntimeError('NOT_RUNNING', `The service does not run, and cannot ${impossible}`)
  return primary
}
