import { DomainError, runtimeUnavailable } from '../../domain/errors.ts'
import { Failure } from '../../domain/failure.ts'
import { exhaustedWords, isHostExhausted } from '../../domain/host-exhausted.ts'
import type { CallBounds } from '../call-bounds.ts'
import type { DockerEngine } from './connection.ts'
import { messageOf, statusOf } from './engine-answers.ts'
import { refusedAs } from './engine-words.ts'

interface Deadline {
  /** Default: the caller's, else the engine's for any call. */
  seconds?: number
  /** The error when the time is up; default RUNTIME_UNAVAILABLE. */
  timeUp?: () => Error
}

/**
 * Runs one method of the port, with all its calls, under one deadline and the caller's signal. The signal given to
 * `work` destroys sockets; the race ends the method even where a socket ignores it. Throws the caller's reason when the
 * caller aborts, RUNTIME_UNAVAILABLE when the engine does not answer, and otherwise the engine's error.
 */
export async function within<T>(
  engine: DockerEngine,
  bounds: CallBounds | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  deadline: Deadline = {},
): Promise<T> {
  const seconds = deadline.seconds ?? bounds?.timeoutSeconds ?? engine.callTimeoutSeconds
  bounds?.signal?.throwIfAborted()
  const call = new AbortController()
  const ended = Promise.withResolvers<never>()
  const end = (reason: unknown) => {
    ended.reject(reason)
    call.abort(reason)
  }
  const endByCaller = () => end(bounds?.signal?.reason)
  bounds?.signal?.addEventListener('abort', endByCaller, { once: true })
  const timer = setTimeout(() => end(deadline.timeUp?.() ?? silence(engine, seconds)), seconds * 1000)
  try {
    return await Promise.race([work(call.signal), ended.promise])
  } catch (error) {
    throw call.signal.aborted ? call.signal.reason : asFailure(engine, error)
  } finally {
    clearTimeout(timer)
    bounds?.signal?.removeEventListener('abort', endByCaller)
  }
}

export const silence = (engine: DockerEngine, seconds: number): DomainError =>
  runtimeUnavailable(`The container engine ${engine.name} did not answer within ${seconds} s`)

/** The kind of a failed call: final, unreachable, or possibly temporary. */
export function asFailure(engine: DockerEngine, error: unknown): unknown {
  if (error instanceof DomainError) return error
  if (error instanceof Failure) {
    error.message = withoutPlaces(engine, error.message)
    return error
  }
  if (statusOf(error) !== null) {
    return refusedAs(error, 'diskFull')
      ? new EngineDiskFull({ cause: error })
      : new Error(`The container engine ${troubleOf(engine, error)}`, { cause: error })
  }
  if (isHostExhausted(error)) return runtimeUnavailable(exhaustedWords(error))
  if (isConnectionFailure(error)) {
    return runtimeUnavailable(`The container engine ${engine.name} cannot be reached: ${messageOf(error)}`)
  }
  return error
}

/** For users, who need not see the engine's paths and places; the cause, with its whole message, is for the log. */
function troubleOf(engine: DockerEngine, error: unknown): string {
  const words = withoutPlaces(engine, messageOf(error))
  return `answered ${statusOf(error)}: ${words.replaceAll(/(?<![\w.:/-])\/[^\s:,"']+/g, '…')}`
}

const withoutPlaces = ({ hidden }: DockerEngine, words: string): string =>
  hidden.reduce((rest, place) => rest.replaceAll(wholeWord(place), '…'), words)

const wholeWord = (text: string): RegExp =>
  new RegExp(`(?<![\\w.-])${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`, 'gi')

/**
 * System errors and broken HTTP have codes of their own; Node's ERR_ codes are bugs in the program, but for those of a
 * stream that broke off and of TLS.
 */
function isConnectionFailure(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return (
    typeof code === 'string' && (!code.startsWith('ERR_') || /^ERR_(STREAM_PREMATURE_CLOSE|TLS_|SSL_|OSSL_)/.test(code))
  )
}

/** The operator can make room, so a later attempt may succeed. */
class EngineDiskFull extends Failure<'ENGINE_DISK_FULL'> {
  constructor(options?: ErrorOptions) {
    super('ENGINE_DISK_FULL', 'The container engine has no disk space left')
    this.cause = options?.cause
  }

  protected override get passing(): readonly 'ENGINE_DISK_FULL'[] {
    return ['ENGINE_DISK_FULL']
  }
}
