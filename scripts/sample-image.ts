import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { pack } from 'tar-stream'
import { ensureBaseImage, finished } from './base-image.ts'

const HELLO = join(import.meta.dirname, '../examples/hello')
const SOURCE_LABEL = 'berth.sample.source'

export interface SampleImageOptions {
  tag?: string
  /** Use no registry for the base image. */
  offline?: boolean
}

/** The image of examples/hello on this engine, built when its source or its base has changed; returns its reference. */
export async function ensureSampleImage(docker: Docker, options: SampleImageOptions = {}): Promise<string> {
  const { tag = 'latest', offline = false } = options
  const reference = `berth-sample-hello:${tag}`
  const base = await ensureBaseImage(docker, { offline })
  const files = readdirSync(HELLO).map((name) => ({ name, content: readFileSync(join(HELLO, name)) }))
  const source = createHash('sha256').update(base)
  for (const { name, content } of files) source.update(name).update(content)
  const fingerprint = source.digest('hex')

  const known = await docker
    .getImage(reference)
    .inspect()
    .catch(() => null)
  if (known?.Config.Labels?.[SOURCE_LABEL] === fingerprint) return reference

  const context = pack()
  for (const { name, content } of files) context.entry({ name }, content)
  context.finalize()
  const labels = { [SOURCE_LABEL]: fingerprint }
  const progress = await docker.buildImage(Readable.from(context), {
    t: reference,
    buildargs: { BASE_IMAGE: base },
    labels,
  })
  await finished(docker, progress)
  return reference
}
