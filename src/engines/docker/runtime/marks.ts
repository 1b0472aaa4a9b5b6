import type { EngineMark } from '../../runtime/container-runtime.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { tolerating } from '../engine-answers.ts'
import { LABEL } from '../labels.ts'

const ROLE = 'mark'
/** Who put it there, for people. */
const HOLDER = 'berth.holder'
const NONCE = 'berth.nonce'

const markName = (installationId: string, nonce: string): string => `berth-${installationId.slice(-8)}-mark-${nonce}`

/** The engine makes its id once, and keeps it with its containers. */
export async function readIdentity(engine: DockerEngine, signal: AbortSignal): Promise<string> {
  const { ID } = (await ask(engine, { path: '/info', signal })) as { ID?: string }
  return ID || engine.name
}

/**
 * Marks are empty volumes: an engine keeps them across its restarts, needs no image for them, and makes one of a name
 * only once. Labels cannot be changed, so a mark is replaced by another.
 */
export async function listMarks(engine: DockerEngine, signal: AbortSignal): Promise<EngineMark[]> {
  const label = [`${LABEL.installation}=${engine.installationId}`, `${LABEL.role}=${ROLE}`]
  const { Volumes } = await engine.docker.listVolumes({ filters: { label }, abortSignal: signal })
  return (Volumes ?? []).map(({ Labels }) => ({ nonce: Labels[NONCE] ?? '', holder: Labels[HOLDER] ?? '' }))
}

export async function addMark(engine: DockerEngine, { nonce, holder }: EngineMark, signal: AbortSignal): Promise<void> {
  const { docker, installationId } = engine
  await docker.createVolume({
    Name: markName(installationId, nonce),
    Labels: { [LABEL.installation]: installationId, [LABEL.role]: ROLE, [NONCE]: nonce, [HOLDER]: holder },
    abortSignal: signal,
  })
}

/** Already gone is fine. */
export async function removeMark(engine: DockerEngine, nonce: string, signal: AbortSignal): Promise<void> {
  const volume = engine.docker.getVolume(markName(engine.installationId, nonce))
  await tolerating([404], () => volume.remove({ abortSignal: signal }))
}
