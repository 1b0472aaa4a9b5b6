import type { ImageReference } from '../../../domain/image-reference.ts'
import { repositoryOf } from '../../../domain/image-reference.ts'
import type { RegistrySilence } from '../../../domain/registry-silence.ts'
import type { RegistryCredential } from '../../images/image-builder.ts'
import type { DockerEngine } from '../connection.ts'
import { messageOf, statusOf } from '../engine-answers.ts'
import { registryAnswerIn, registrySilenceIn, says } from '../engine-words.ts'
import { jsonLines } from './json-lines.ts'

/**
 * Why a pull failed: the registry does not know the image, wants another credential, or has no image for this machine;
 * it limits requests; no registry answered; one stopped answering; or its answer made no sense.
 */
export type PullFailureKind = 'unknown' | 'denied' | 'invalid' | 'limited' | 'unreachable' | 'stalled' | 'failed'

/** Its message is the engine's own, which quotes what the registry sent: for the log, never for a user. */
export class PullFailure extends Error {
  readonly kind: PullFailureKind
  /** Why no registry answered, if none did. */
  readonly silence: RegistrySilence

  constructor(kind: PullFailureKind, message: string, silence: RegistrySilence = 'mute') {
    super(message)
    this.name = 'PullFailure'
    this.kind = kind
    this.silence = silence
  }
}

interface Pull {
  reference: ImageReference
  credential: RegistryCredential | null
  /** Without any progress for this long it is given up. */
  idleSeconds: number
}

/**
 * Pulls, and returns when the engine has the image. Throws PullFailure, or the error of the connection to the engine.
 */
export async function pullImage(
  engine: DockerEngine,
  { reference, credential, idleSeconds }: Pull,
  signal: AbortSignal,
): Promise<void> {
  const idle = new AbortController()
  const giveUp = () => idle.abort(new PullFailure('stalled', `No progress for ${idleSeconds} s`))
  const timer = setTimeout(giveUp, idleSeconds * 1000)
  try {
    const stream = await engine.docker.createImage({
      fromImage: repositoryOf(reference),
      tag: reference.digest ?? reference.tag ?? 'latest',
      ...(credential === null ? {} : { authconfig: { ...credential, serveraddress: serverOf(reference) } }),
      abortSignal: AbortSignal.any([signal, idle.signal]),
    })
    for await (const message of jsonLines<{ error?: string }>(stream)) {
      timer.refresh()
      if (message.error !== undefined) throw failureOf(message.error)
    }
  } catch (error) {
    if (idle.signal.aborted) throw idle.signal.reason
    throw statusOf(error) === null ? error : failureOf(messageOf(error))
  } finally {
    clearTimeout(timer)
  }
}

/** The address under which engines store a registry's logins. */
export const serverOf = ({ registry }: Pick<ImageReference, 'registry'>): string =>
  registry === 'docker.io' ? 'https://index.docker.io/v1/' : registry

export function failureOf(words: string): Error {
  // A problem of the engine says nothing about the image.
  if (says(words, 'diskFull'))
    return new Error('The container engine could not store the image: no space left on device')
  if (says(words, 'diskFailed')) return new Error('The container engine could not store the image: its disk fails')
  const answer = registryAnswerIn(words)
  if (answer !== null) return new PullFailure(answer === 'senseless' ? 'failed' : answer, words)
  const silence = registrySilenceIn(words)
  return silence === null ? new PullFailure('failed', words) : new PullFailure('unreachable', words, silence)
}
