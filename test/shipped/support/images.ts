import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import Docker from 'dockerode'
import { pack } from 'tar-stream'
import { finished } from '../../../scripts/base-image.ts'
import { has } from '../../support/build-images.ts'
import { ensureProgramsImage } from '../../support/programs-image.ts'

const PROGRAM = join(import.meta.dirname, 'program.mjs')
const ENGINES = join(import.meta.dirname, '../../support/engines')
/** A stand-in is downloaded and assembled once on a machine. */
const MAKE_TIMEOUT_MS = 600_000

/** The folder of the program as a user would upload or push it, built on an image of this machine. */
export async function sourceFiles(release: string): Promise<Record<string, string>> {
  const base = await ensureProgramsImage(new Docker())
  const dockerfile = [
    `FROM ${base}`,
    `ENV RELEASE=${release}`,
    'COPY program.mjs /app/',
    'USER node',
    'CMD ["node", "/app/program.mjs", "serve"]',
  ].join('\n')
  return { Dockerfile: dockerfile, 'program.mjs': readFileSync(PROGRAM, 'utf8') }
}

/** An image of the program, which says of itself which release it is. Kept until the program changes. */
export async function programImage(release: string): Promise<string> {
  const docker = new Docker()
  const files = await sourceFiles(release)
  const version = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 12)
  const reference = `berth-shipped-program:${version}`
  if (await has(docker, reference)) return reference
  const context = pack()
  for (const [name, content] of Object.entries(files)) context.entry({ name }, content)
  context.finalize()
  await finished(docker, await docker.buildImage(Readable.from(context), { t: reference }))
  return reference
}

/** Sees to it that a managed service's images are on the engine, under their official names. */
export async function ensureService(preset: string): Promise<void> {
  const lock = `/var/lock/berth-stand-in-${preset.toLowerCase()}`
  const make = [lock, process.execPath, join(ENGINES, 'make-image.ts'), preset]
  await promisify(execFile)('flock', make, { timeout: MAKE_TIMEOUT_MS })
}
