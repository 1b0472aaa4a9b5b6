import { RuntimeError } from '../../runtime/container-runtime.ts'
import type { AttemptContext } from '../attempt/attempt-context.ts'

/** Name of the running container that has the service's data. Throws NOT_RUNNING where there is none. */
export async function runningName({ engine, appEnv }: AttemptContext): Promise<string> {
  const { rolloutId } = appEnv
  const running = (await engine.observe()).find(
    (one) => one.rolloutId === rolloutId && one.index === 0 && one.phase === 'running',
  )
  if (!running) throw new RuntimeError('NOT_RUNNING', 'The service does not run, and cannot be asked for its data')
  return running.name
}
