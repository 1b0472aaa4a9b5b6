import { execFileSync } from 'node:child_process'
import { createReadStream, realpathSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type Docker from 'dockerode'
import { type Pack, pack } from 'tar-stream'

const REGISTRY_IMAGE = 'node:24-alpine'
const ASSEMBLED_IMAGE = `berth-base-node:${process.versions.node}`

const PASSWD = 'root:x:0:0:root:/root:/bin/false\nnode:x:1000:1000:node:/app:/bin/false\n'
const GROUP = 'root:x:0:\nnode:x:1000:\n'

/**
 * An image with Node.js and a user `node` in it. From the registry when one answers; otherwise, or when
 * `offline`, put together from the Node.js that runs this and the libraries it needs.
 */
export async function ensureBaseImage(docker: Docker, { offline = false } = {}): Promise<string> {
  if (!offline) {
    if (await hasImage(docker, REGISTRY_IMAGE)) return REGISTRY_IMAGE
    if (await pull(docker, REGISTRY_IMAGE)) return REGISTRY_IMAGE
    if (process.platform !== 'linux')
      throw new Error(
        `No registry answers for ${REGISTRY_IMAGE}, and this machine's own Node.js is not a Linux program`,
      )
  }
  if (!(await hasImage(docker, ASSEMBLED_IMAGE))) await assemble(docker, ASSEMBLED_IMAGE)
  return ASSEMBLED_IMAGE
}

export const hasImage = (docker: Docker, reference: string): Promise<boolean> =>
  docker
    .getImage(reference)
    .inspect()
    .then(
      () => true,
      () => false,
    )

/** Reads a progress stream of the engine to its end; a failure is a line in it, not a status code. */
export function finished(docker: Docker, progress: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null, steps: { error?: string }[] = []) => {
      const failure = error?.message ?? steps.find((step) => step.error)?.error
      if (failure) reject(new Error(failure))
      else resolve()
    }
    docker.modem.followProgress(progress, settle)
  })
}

async function pull(docker: Docker, reference: string): Promise<boolean> {
  try {
    await finished(docker, await docker.pull(reference))
    return true
  } catch {
    return false
  }
}

async function assemble(docker: Docker, reference: string): Promise<void> {
  const [repo, tag] = reference.split(':')
  const archive = pack()
  const changes = ['ENV PATH=/usr/bin', 'WORKDIR /app']
  const [progress] = await Promise.all([docker.importImage(archive, { repo, tag, changes }), writeRoot(archive)])
  await finished(docker, progress)
}

async function writeRoot(archive: Pack): Promise<void> {
  const node = realpathSync(process.execPath)
  archive.entry({ name: 'tmp', type: 'directory', mode: 0o1777 })
  archive.entry({ name: 'app', type: 'directory', mode: 0o755, uid: 1000, gid: 1000 })
  archive.entry({ name: 'etc/passwd' }, PASSWD)
  archive.entry({ name: 'etc/group' }, GROUP)
  await copy(archive, node, 'usr/bin/node')
  for (const library of librariesOf(node)) await copy(archive, library, library.slice(1))
  archive.finalize()
}

/** What the dynamic linker would load: lines like `libm.so.6 => /lib/libm.so.6 (0x…)`, and the linker itself. */
function librariesOf(program: string): string[] {
  const lines = execFileSync('ldd', ['--', program], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => /(?:=> |^\s)(\/\S+) \(0x/.exec(line)?.[1] ?? [])
}

async function copy(archive: Pack, source: string, name: string): Promise<void> {
  const { size } = statSync(source)
  await pipeline(createReadStream(source), archive.entry({ name, size, mode: 0o755 }))
}
