import {
  formatImageReference,
  type ImageReference,
  parseImageReference,
  repositoryOf,
} from '../../../domain/image-reference.ts'
import { REGISTRY_SILENCES } from '../../../domain/registry-silence.ts'
import { ImageError, type RegistryCredential } from '../../images/image-builder.ts'
import type { DockerEngine } from '../connection.ts'
import { messageOf, statusOf } from '../engine-answers.ts'
import { registryAnswerIn, registrySilenceIn } from '../engine-words.ts'
import { digestOf, findImage } from './find-image.ts'
import { jsonLines } from './json-lines.ts'
import { serverOf } from './pull.ts'

interface Progress {
  error?: string
  aux?: { Digest?: string }
}

/** Tags an image, and pushes it there. Returns the name by digest, which stays this image for good. */
export async function pushImage(
  engine: DockerEngine,
  { id, name, credential }: { id: string; name: string; credential: RegistryCredential | null },
  signal: AbortSignal,
): Promise<string> {
  const parsed = parseImageReference(name)
  if ('problem' in parsed) throw new Error(`"${name}" is not an image name: ${parsed.problem}`)
  const { reference } = parsed
  const { docker } = engine
  const tag = reference.tag ?? 'latest'
  try {
    await docker.getImage(id).tag({ repo: repositoryOf(reference), tag, abortSignal: signal })
    // Without any login the engine refuses the call.
    const authconfig = { username: '', password: '', ...credential, serveraddress: serverOf(reference) }
    const stream = await docker.getImage(repositoryOf(reference)).push({ tag, authconfig, abortSignal: signal })
    const digest = (await digestIn(stream)) ?? (await digestHeld(engine, reference, signal))
    if (digest === null) throw new Error(`The container engine does not know what it has pushed as ${name}`)
    return formatImageReference({ ...reference, tag: null, digest })
  } catch (error) {
    const words = messageOf(error)
    const isAnswer = statusOf(error) !== null || error instanceof PushRefused
    if (!isAnswer) throw error
    if (registryAnswerIn(words) === 'denied') {
      const login = credential ? `the user name ${credential.username}` : 'no login'
      throw new ImageError('PUSH_DENIED', `The image ${name} cannot be pushed: the registry refuses it with ${login}`)
    }
    throw new ImageError(
      'PUSH_FAILED',
      `The image ${name} cannot be pushed: the registry ${reference.registry} ${whyIn(words)}`,
    )
  }
}

/** The engine's own message contains its resolver and its addresses, which only the operator may see. */
function whyIn(words: string): string {
  const answer = registryAnswerIn(words)
  if (answer === 'limited') return 'limits how often it is asked'
  if (answer !== null) return 'does not take it'
  return `cannot be reached: ${REGISTRY_SILENCES[registrySilenceIn(words) ?? 'mute']}`
}

/** Sent in a stream that began with 200. */
class PushRefused extends Error {}

/** An engine with containerd's store does not say what it has pushed, but has the same itself. */
async function digestHeld(
  engine: DockerEngine,
  reference: ImageReference,
  signal: AbortSignal,
): Promise<string | null> {
  const pushed = await findImage(engine, formatImageReference(reference), signal)
  return pushed && digestOf(pushed, reference)
}

/** Null where the engine does not say it. */
async function digestIn(stream: NodeJS.ReadableStream): Promise<string | null> {
  let digest: string | null = null
  for await (const { error, aux } of jsonLines<Progress>(stream)) {
    if (error !== undefined) throw new PushRefused(error)
    digest = aux?.Digest ?? digest
  }
  return digest
}
