import { messageOf, statusOf } from '../../engine/docker/engine-answers.ts'
import { RuntimeError } from '../container-runtime.ts'

export const isGone = (error: unknown): boolean =>
  (statusOf(error) === 404 && messageOf(error).startsWith('No such container')) ||
  (statusOf(error) === 409 && /marked for removal|removal of container/i.test(messageOf(error)))

/** An engine that was killed while it started a container may have forgotten the start, and yet find it running. */
export const isWedged = (error: unknown): boolean =>
  statusOf(error) !== null && /task \S+ already exists|id already in use/i.test(messageOf(error))

/** A stopped container stores its network's id, so one whose network was pruned never starts again. */
export const lostItsNetwork = (error: unknown): boolean =>
  statusOf(error) !== null && /network \S+ not found/i.test(messageOf(error))

/** The host allows the engine no higher limit, such as one of open files. */
export const refusesLimits = (error: unknown): boolean =>
  statusOf(error) !== null && /error setting rlimit/i.test(messageOf(error))

/** An answer about the image or the command is final; any other may be temporary. */
export function refusalOf(error: unknown): unknown {
  const status = statusOf(error)
  if (status === 404 && messageOf(error).startsWith('No such image')) {
    return new RuntimeError('IMAGE_NOT_FOUND', `The engine no longer has the image: ${messageOf(error)}`)
  }
  if (status === 400 || (status !== null && messageOf(error).includes('OCI runtime'))) {
    return new RuntimeError('CONTAINER_START_FAILED', messageOf(error))
  }
  return error
}

/** A command that does not read all of its input may end before its output has been taken. */
export const brokenOff = (): Error => new Error('The container engine hung up before the end of an output')
