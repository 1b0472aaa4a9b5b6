import Docker from 'dockerode'
import { dockerEngine } from '../support/docker-engine.ts'
import { removeEverything } from '../support/remove-everything.ts'
import { ensureTestImage } from '../support/test-image.ts'
import type { World } from '../support/world.ts'
import { BROKEN } from './model.ts'
import type { Engine } from './stage.ts'

/** Dies at once with the setting that is broken, and answers everything else. */
const PROGRAM = `
if (process.env.SETTING === '${BROKEN}') process.exit(3)
require('node:http').createServer((_, response) => response.end('hello')).listen(Number(process.env.PORT))
process.on('SIGTERM', () => process.exit(0))
`

/** The machine's own engine. */
export async function containerEngine({ database }: World): Promise<Engine> {
  const docker = new Docker()
  const image = await ensureTestImage(docker)
  const { id: installationId } = await database.installation.findFirstOrThrow()
  return {
    ports: dockerEngine({ installationId, callTimeoutSeconds: 30 }),
    images: { sound: image, other: image },
    app: { port: 3000 },
    appEnv: { startupConfig: { command: 'node', args: ['-e', PROGRAM], shell: false } },
    close: () => removeEverything(docker, installationId),
  }
}
