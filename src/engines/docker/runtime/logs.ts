import type { Readable } from 'node:stream'
import type { CallBounds } from '../../call-bounds.ts'
import type { LogLine, LogOptions } from '../../runtime/container-runtime.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { asFailure, silence, within } from '../within.ts'
import { ownContainerId } from './find-containers.ts'
import { LogLines } from './log-lines.ts'

const SECOND = 1_000_000_000n

/**
 * A replica's output. The deadline applies to each wait on the engine, not to the whole, so that a slow reader is not
 * cut off; while following, silence is normal, and only the caller's signal ends it.
 */
export async function* replicaLogs(
  engine: DockerEngine,
  name: string,
  options: CallBounds & LogOptions,
): AsyncGenerator<LogLine> {
  const bounds = { signal: options.signal, timeoutSeconds: options.timeoutSeconds }
  const stopped = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, stopped.signal]) : stopped.signal
  try {
    const stream = await within(engine, bounds, async (callSignal) => {
      const id = await ownContainerId(engine, name, callSignal)
      return openLogs(engine, id, options, signal)
    })
    yield* linesOf(engine, stream, options.follow ? null : (options.timeoutSeconds ?? engine.callTimeoutSeconds))
  } catch (error) {
    throw options.signal?.aborted ? options.signal.reason : asFailure(engine, error)
  } finally {
    stopped.abort()
  }
}

/** The same inside another call, which bounds it. */
export async function* readLogs(
  engine: DockerEngine,
  id: string,
  options: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  yield* linesOf(engine, await openLogs(engine, id, options, signal), null)
}

/** Not dockerode's `logs`, which collects the whole output in memory unless it follows. */
async function openLogs(engine: DockerEngine, id: string, options: LogOptions, signal: AbortSignal): Promise<Readable> {
  const { tail, since, follow = false } = options
  const query = {
    stdout: true,
    stderr: true,
    timestamps: true,
    follow,
    ...(tail === undefined ? {} : { tail }),
    ...(since === undefined ? {} : { since: `${since / SECOND}.${String(since % SECOND).padStart(9, '0')}` }),
  }
  const path = `/containers/${encodeURIComponent(id)}/logs`
  return (await ask(engine, { path, query, isStream: true, signal })) as Readable
}

async function* linesOf(
  engine: DockerEngine,
  stream: Readable,
  silenceSeconds: number | null,
): AsyncGenerator<LogLine> {
  const lines = new LogLines()
  const chunks = stream.iterator() as AsyncIterator<Buffer>
  for (;;) {
    const timer =
      silenceSeconds === null
        ? undefined
        : setTimeout(() => stream.destroy(silence(engine, silenceSeconds)), silenceSeconds * 1000)
    const { done, value } = await chunks.next().finally(() => clearTimeout(timer))
    if (done) break
    yield* lines.read(value)
  }
  yield* lines.end()
}
