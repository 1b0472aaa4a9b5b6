import Docker from 'dockerode'
import { finished } from '../../scripts/base-image.ts'
import { addNode, importRoot } from '../../scripts/image-root.ts'

const WEB_SERVER = `const server = require('node:http').createServer((request, response) => response.end('Welcome to nginx!'))
server.listen(80, () => console.log('listening'))
process.on('SIGTERM', () => process.exit(0))`

/** The images of others that the README and its example name, and what stands in for them. */
const STAND_INS: Readonly<Record<string, string[]>> = {
  'nginx:alpine': [`CMD ${JSON.stringify(['node', '-e', WEB_SERVER])}`],
  'node:24-alpine': [],
}
const PULL_TIMEOUT_MS = 60_000

/**
 * Makes sure that these images can be run. Where no registry has them, images of this machine bear their names until
 * the end of the test.
 */
export async function publicImages(docker = new Docker()): Promise<AsyncDisposable> {
  const lent: string[] = []
  for (const [name, changes] of Object.entries(STAND_INS)) {
    if (await isThere(docker, name)) continue
    await importRoot(docker, name, addNode, changes)
    lent.push(name)
  }
  return {
    async [Symbol.asyncDispose]() {
      for (const name of lent) await docker.getImage(name).remove({ force: true })
    },
  }
}

async function isThere(docker: Docker, name: string): Promise<boolean> {
  try {
    await docker.getImage(name).inspect()
    return true
  } catch {
    const abortSignal = AbortSignal.timeout(PULL_TIMEOUT_MS)
    return docker.pull(name, { abortSignal }).then(
      (progress) =>
        finished(docker, progress).then(
          () => true,
          () => false,
        ),
      () => false,
    )
  }
}
