import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { type Pack, pack } from 'tar-stream'

const run = promisify(execFile)

/** Named after the Node inside, so that an upgrade makes a new one; kept between runs because packing it takes a second. */
const TEST_IMAGE = `berth-test-node:${process.versions.node}`

const ACCOUNTS = 'root:x:0:0:root:/root:/bin/false\nnode:x:1000:1000::/app:/bin/false\n'

/** An image with nothing but Node in it, assembled from the running Node, because tests must not need a registry. */
export async function ensureTestImage(docker = new Docker()): Promise<string> {
  const known = await docker
    .getImage(TEST_IMAGE)
    .inspect()
    .catch(() => null)
  if (known) return TEST_IMAGE
  const archive = pack()
  const [repo, tag] = TEST_IMAGE.split(':')
  const [progress] = await Promise.all([
    docker.importImage(Readable.from(archive), { repo, tag, changes: ['ENV PATH=/usr/bin', 'WORKDIR /app'] }),
    writeRoot(archive),
  ])
  for await (const _step of progress);
  return TEST_IMAGE
}

async function writeRoot(archive: Pack): Promise<void> {
  const node = await realpath(process.execPath)
  for (const directory of ['app', 'tmp', 'root']) archive.entry({ name: directory, type: 'directory', mode: 0o1777 })
  archive.entry({ name: 'etc/passwd' }, ACCOUNTS)
  archive.entry({ name: 'etc/group' }, 'root:x:0:\nnode:x:1000:\n')
  await copy(archive, node, 'usr/bin/node')
  for (const library of await librariesOf(node)) await copy(archive, library, library.slice(1))
  archive.finalize()
}

/** The shared objects that the dynamic linker would load: `name => /path (address)`, or the loader's own path. */
async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await run('ldd', ['--', program])
  return stdout.split('\n').flatMap((line) => /(?:=> |^\s)(\/\S+) \(0x/.exec(line)?.[1] ?? [])
}

async function copy(archive: Pack, source: string, name: string): Promise<void> {
  const { size } = await stat(source)
  await pipeline(createReadStream(source), archive.entry({ name, size, mode: 0o755 }))
}
