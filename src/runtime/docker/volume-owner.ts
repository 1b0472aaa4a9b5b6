import { Readable } from 'node:stream'
import type { Container } from 'dockerode'
import { extract, type Header, pack } from 'tar-stream'
import { statusOf } from '../../engine/docker/engine-answers.ts'

interface Owner {
  uid: number
  gid: number
}

const MAX_PASSWD_BYTES = 256 * 1024

/**
 * Gives a volume that root owns to the image's user: engines create volumes for root, and most images run as another
 * user, who could not write to them. Runs before the container starts, and touches no files in the volume.
 */
export async function giveVolume(container: Container, path: string, signal: AbortSignal): Promise<void> {
  const { Config } = await container.inspect({ abortSignal: signal })
  const owner = await ownerOf(container, Config.User, signal)
  if (!owner) return
  const folder = await firstEntry(container, path, signal)
  if (folder?.header.type !== 'directory' || folder.header.uid !== 0) return
  const archive = pack()
  const { mode = 0o755 } = folder.header
  archive.entry({ name: path.replace(/^\/+/, ''), type: 'directory', mode, mtime: new Date(), ...owner })
  archive.finalize()
  await container.putArchive(Readable.from(archive), { path: '/', abortSignal: signal })
}

/** Null for root, and for a user that the image does not have: the start will report that. */
async function ownerOf(container: Container, user: string, signal: AbortSignal): Promise<Owner | null> {
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
  const entries = Readable.from(answer).pipe(extract())
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
