import { notFound, runtimeUnavailable } from '../../../src/domain/errors.ts'
import type { CallBounds } from '../../../src/engines/call-bounds.ts'
import type { EngineFault } from '../../contracts/engine-harness.ts'
import type { MemoryContainer } from './memory-container.ts'
import type { MemoryMachine } from './memory-machine.ts'

/** One installation's connection to the machine, which may fail. */
export interface MemoryConnection {
  machine: MemoryMachine
  installationId: string
  callTimeoutSeconds: number
  pullIdleSeconds: number
  fault: EngineFault | null
}

interface Deadline {
  seconds?: number
  /** Default: RUNTIME_UNAVAILABLE. */
  timeUp?: (() => Error) | undefined
}

/** Runs one method of a port under its deadline and the caller's signal. */
export async function call<T>(
  { fault, callTimeoutSeconds }: MemoryConnection,
  bounds: CallBounds | undefined,
  work: (signal: AbortSignal) => T | Promise<T>,
  deadline: Deadline = {},
): Promise<T> {
  bounds?.signal?.throwIfAborted()
  if (fault === 'absent' || fault === 'refusing') throw runtimeUnavailable('The machine cannot be reached')
  const seconds = deadline.seconds ?? bounds?.timeoutSeconds ?? callTimeoutSeconds
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(deadline.timeUp?.() ?? silence(seconds)), seconds * 1000)
  const signal = bounds?.signal ? AbortSignal.any([bounds.signal, late.signal]) : late.signal
  const ended = Promise.withResolvers<never>()
  const end = () => ended.reject(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([ended.promise, answer(fault, signal, work)])
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

export const silence = (seconds: number) => runtimeUnavailable(`The machine did not answer within ${seconds} s`)

/** With a fault the machine may still do the work; the caller gets no answer. */
async function answer<T>(
  fault: EngineFault | null,
  signal: AbortSignal,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  if (fault === 'mute') return await new Promise<never>(() => {})
  const done = (async () => work(signal))()
  if (fault === 'falls silent' || fault === 'hangs up') {
    await done.catch(() => {})
    if (fault === 'hangs up') throw runtimeUnavailable('The machine hung up in the middle of its answer')
    return await new Promise<never>(() => {})
  }
  return await done
}

/** A container of this installation, by name or id. Throws NOT_FOUND. */
export function own(connection: MemoryConnection, name: string): MemoryContainer {
  const found = connection.machine.find(name)
  if (found?.options.installationId !== connection.installationId) throw notFound('container', name)
  return found
}
