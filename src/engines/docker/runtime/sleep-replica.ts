import { DomainError } from '../../../domain/errors.ts'
import { failpoint } from '../../../fault-injection/failpoint.ts'
import { type ObservedReplica, RuntimeError } from '../../runtime/container-runtime.ts'
import type { DockerEngine } from '../connection.ts'
import { messageOf, statusOf, tolerating } from '../engine-answers.ts'
import { LABEL } from '../labels.ts'
import type { Reach } from './container-spec.ts'
import { getReplica, withNetwork } from './find-containers.ts'
import { observedReplica } from './observe.ts'

/**
 * While a process forks, the kernel may not come to freeze its group. Engines answer 500, in other words for cgroup v1
 * ("unable to freeze") than for v2 ("timeout … waiting for the cgroup to freeze").
 */
const cannotNow = (error: unknown): boolean => statusOf(error) === 500

const TRIES = 3

/**
 * False: it was so already. Engines refuse what is already so, and what cannot be, with the same codes: the inspection
 * distinguishes them.
 */
async function changePhase(
  engine: DockerEngine,
  name: string,
  signal: AbortSignal,
  { change, reached }: { change: 'pause' | 'unpause'; reached: 'paused' | 'running' },
): Promise<boolean> {
  for (let tries = 1; ; tries += 1)
    try {
      // One call in the path of a request: whose container it is follows from its name, which holds the environment's.
      await engine.docker.getContainer(name)[change]({ abortSignal: signal })
      return true
    } catch (error) {
      if (statusOf(error) === null) throw error
      const { State } = await getReplica(engine, name, signal)
      if (State.Status === reached) return false
      if (change === 'pause' && State.Status === 'running' && cannotNow(error) && tries < TRIES) continue
      if (State.Status === 'running' || State.Status === 'paused') throw error
      throw new RuntimeError('NOT_RUNNING', `The container ${name} does not run: it is ${State.Status}`)
    }
}

export async function freezeReplica(engine: DockerEngine, name: string, signal: AbortSignal): Promise<void> {
  await getReplica(engine, name, signal)
  await changePhase(engine, name, signal, { change: 'pause', reached: 'paused' })
  failpoint('container.frozen')
}

export const unfreezeReplica = (engine: DockerEngine, name: string, signal: AbortSignal): Promise<boolean> =>
  changePhase(engine, name, signal, { change: 'unpause', reached: 'running' })

/** A frozen one cannot hear SIGTERM, so it goes on first. */
export async function stopReplica(
  engine: DockerEngine,
  name: string,
  graceSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  const { State } = await getReplica(engine, name, signal)
  const container = engine.docker.getContainer(name)
  if (State.Paused) await tolerating([404, 409, 500], () => container.unpause({ abortSignal: signal }))
  await tolerating([304, 404], () => container.stop({ t: graceSeconds, abortSignal: signal }))
  failpoint('container.stopped')
}

export async function startReplica(
  engine: DockerEngine,
  name: string,
  reach: Reach,
  signal: AbortSignal,
): Promise<ObservedReplica> {
  try {
    await tolerating([304], () => engine.docker.getContainer(name).start({ abortSignal: signal }))
  } catch (error) {
    if (statusOf(error) === null || error instanceof DomainError) throw error
    await getReplica(engine, name, signal)
    throw new RuntimeError('CONTAINER_START_FAILED', `The container ${name} cannot be started: ${messageOf(error)}`)
  }
  const found = await withNetwork(engine, await getReplica(engine, name, signal), signal)
  failpoint('container.started', found.Config.Labels?.[LABEL.appEnv] ?? '')
  const listed = { Id: found.Id, Names: [found.Name], Labels: found.Config.Labels, State: found.State.Status }
  return observedReplica(engine.installationId, listed, found, reach)
}
