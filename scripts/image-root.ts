import { execFileSync } from 'node:child_process'
import { createReadStream, realpathSync, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type Docker from 'dockerode'
import { type Pack, pack } from 'tar-stream'

const PASSWD = 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000:node:/app:/bin/sh\n'
const GROUP = 'root:x:0:\nnode:x:1000:\n'

/** Creates an image without any registry: `fill` writes its whole file system. */
export async function importRoot(
  docker: Docker,
  reference: string,
  fill: (archive: Pack) => Promise<void>,
  changes: string[] = [],
): Promise<void> {
  const [repo, tag] = reference.split(':')
  const archive = pack()
  const write = async () => {
    archive.entry({ name: 'tmp', type: 'directory', mode: 0o1777 })
    archive.entry({ name: 'app', type: 'directory', mode: 0o755, uid: 1000, gid: 1000 })
    archive.entry({ name: 'etc/passwd' }, PASSWD)
    archive.entry({ name: 'etc/group' }, GROUP)
    await fill(archive)
    archive.finalize()
  }
  const options = { repo, tag, changes: ['ENV PATH=/usr/bin:/bin', 'WORKDIR /app', ...changes] }
  const [progress] = await Promise.all([docker.importImage(Readable.from(archive), options), write()])
  for await (const _step of progress);
}

export const addNode = (archive: Pack): Promise<void> =>
  addPrograms(archive, { 'usr/bin/node': realpathSync(process.execPath) })

/**
 * Programs of this machine, by their names in the image, each with the libraries it needs; and other libraries, which what is
 * installed there may need.
 */
export async function addPrograms(
  archive: Pack,
  programs: Record<string, string>,
  otherLibraries: readonly string[] = [],
): Promise<void> {
  for (const [name, path] of Object.entries(programs)) await addFile(archive, name, path)
  const libraries = new Set([...Object.values(programs).flatMap(librariesOf), ...otherLibraries])
  for (const path of libraries) await addFile(archive, path.slice(1), path)
}

export async function addFile(archive: Pack, name: string, path: string): Promise<void> {
  // Python uses a compiled module only while the time of its source is the one that it was compiled from.
  const { size, mode, mtime } = statSync(path)
  await pipeline(createReadStream(path), archive.entry({ name, size, mode: mode & 0o777, mtime }))
}

/** The libraries of the dynamic linker: lines like `libm.so.6 => /lib/libm.so.6 (0x…)`, and the linker itself. */
function librariesOf(program: string): string[] {
  const lines = execFileSync('ldd', ['--', program], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => /(?:=> |^\s)(\/\S+) \(0x/.exec(line)?.[1] ?? [])
}
