import { pipeline, Readable } from 'node:stream'
import type { Container, ContainerInspectInfo } from 'dockerode'
import { extract, type Header, pack } from 'tar-stream'
import type { DockerEngine } from '../connection.ts'
import { statusOf } from '../engine-answers.ts'
import { standInLabels } from './container-labels.ts'
import { createContainer } from './create-container.ts'
import { removeContainer } from './remove.ts'

export interface Owner {
  uid: number
  gid: number
}

const MAX_PASSWD_BYTES = 256 * 1024

/**
 * Gives a volume that root owns to the container's user: engines create volumes for root, and most images run as
 * another user, who could not write to them. Runs before the container starts, and touches no files in the volume.
 */
export async function giveVolume(
  engine: DockerEngine,
  inspected: ContainerInspectInfo,
  { path, owner }: { path: string; owner: Owner },
  signal: AbortSignal,
): Promise<void> {
  const container = engine.docker.getContainer(inspected.Id)
  const folder = await firstEntry(container, path, signal)
  if (folder?.header.type !== 'directory' || folder.header.uid !== 0) return
  const { mode = 0o755 } = folder.header
  const give = async (to: Container) => {
    const archive = pack()
    archive.entry({ name: path.replace(/^\/+/, ''), type: 'directory', mode, mtime: new Date(), ...owner })
    archive.finalize()
    await to.putArchive(Readable.from(archive), { path: '/', abortSignal: signal })
  }
  if (!inspected.HostConfig.ReadonlyRootfs) return give(container)
  await withStandIn(engine, inspected, path, give, signal)
}

/**
 * An engine changes a volume's own folder through the root above it only, and refuses where that is read-only: so
 * through another container with the same volume, which is never started. One that stays behind is swept as a task.
 */
async function withStandIn(
  engine: DockerEngine,
  { Image, Mounts, Config }: ContainerInspectInfo,
  path: string,
  work: (container: Container) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const volume = Mounts.find(({ Destination }) => Destination === path)?.Name
  if (volume === undefined) return
  const body = {
    Image,
    // An image without a command of its own would be refused.
    Entrypoint: ['none'],
    Labels: standInLabels(Config.Labels),
    HostConfig: { NetworkMode: 'none', Mounts: [{ Type: 'volume' as const, Source: volume, Target: path }] },
  }
  const standIn = await createContainer(engine, body, signal)
  try {
    await work(standIn)
  } finally {
    await removeContainer(engine, standIn.id, { graceSeconds: 0 }, signal)
  }
}

/** Null for root, and for a user that the image does not have: the start will report that. */
export async function ownerOf(container: Container, user: string, signal: AbortSignal): Promise<Owner | null> {
  const [name = '', group] = user.split(':')
  if (name === '' || name === 'root' || /^0+$/.test(name)) return null
  const passwd = (await firstEntry(container, '/etc/passwd', signal))?.text ?? ''
  const lines = passwd.split('\n').map((line) => line.split(':'))
  const known = lines.find(([login, , uid]) => login === name || uid === name)
  const uid = /^\d+$/.test(name) ? Number(name) : Number(known?.[2])
  const gid = group && /^\d+$/.test(group) ? Number(group) : Number(known?.[3] ?? 0)
  return Number.isInteger(uid) && uid > 0 ? { uid, gid: Number.isInteger(gid) ? gid : 0 } : null
}

/** The engine answers with an archive of everything there; only its beginning is read. */
async function firstEntry(container: Container, path: string, signal: AbortSignal) {
  const answer = await container.getArchive({ path, abortSignal: signal }).catch((error: unknown) => {
    if (statusOf(error) === 404) return null
    throw error
  })
  if (!answer) return null
  // What is left of a large folder is never read: that ends the answer, and is no error to report.
  const entries = extract()
  pipeline(answer, entries, () => {})
  try {
    for await (const entry of entries) return { header: entry.header as Header, text: await textOf(entry) }
    return null
  } finally {
    entries.destroy()
    if ('destroy' in answer && typeof answer.destroy === 'function') answer.destroy()
  }
}

async function textOf(entry: AsyncIterable<unknown>): Promise<string> {
  let text = ''
  for await (const chunk of entry) {
    text += (chunk as Buffer).toString('utf8')
    if (text.length > MAX_PASSWD_BYTES) break
  }
  return text
}
