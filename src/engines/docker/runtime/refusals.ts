import type { ContainerInspectInfo } from 'dockerode'
import { RuntimeError } from '../../runtime/container-runtime.ts'
import type { DockerEngine } from '../connection.ts'
import { messageOf, statusOf } from '../engine-answers.ts'
import { type EngineWord, refusedAs } from '../engine-words.ts'
import { findContainer } from './find-containers.ts'
import { holderOf } from './holder.ts'
import { startFault } from './start-fault.ts'

const GONE = 404
const CONFLICT = 409

/**
 * Whether the engine refused a container because that is gone, or being removed. Engines answer the same when its
 * network is gone, or what it joins, so its state decides.
 */
export async function isGone(engine: DockerEngine, id: string, error: unknown, signal: AbortSignal): Promise<boolean> {
  if (statusOf(error) !== GONE && statusOf(error) !== CONFLICT) return false
  const found = await findContainer(engine, id, signal)
  return found === null || found.State.Status === 'removing'
}

/** The engine cannot start a container because the holder that it was created to join is gone, or has ended. */
export async function lostItsHolder(
  engine: DockerEngine,
  container: Pick<ContainerInspectInfo, 'HostConfig'>,
  signal: AbortSignal,
): Promise<boolean> {
  const holder = holderOf(container)
  return holder !== null && (await findContainer(engine, holder, signal))?.State.Running !== true
}

/** The next attempt would be refused alike. Engines answer them with 500 as well. */
const FINAL: readonly EngineWord[] = ['cannotRun', 'userUnknown', 'workingDirTaken']

/** An answer about the image or the command is final; any other may be temporary. */
export function refusalOf(error: unknown): unknown {
  if (statusOf(error) === GONE && refusedAs(error, 'imageGone')) {
    return new RuntimeError('IMAGE_NOT_FOUND', `The engine no longer has the image: ${messageOf(error)}`)
  }
  const isFinal = statusOf(error) === 400 || FINAL.some((word) => refusedAs(error, word))
  return isFinal ? startFault(messageOf(error)) : error
}

/** A command that does not read all of its input may end before its output has been taken. */
export const brokenOff = (): Error => new Error('The container engine hung up before the end of an output')
