import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import type { ImageInspectInfo } from 'dockerode'
import { extract, type Pack, pack } from 'tar-stream'
import { ask, type DockerEngine } from '../../connection.ts'
import { statusOf } from '../../engine-answers.ts'
import { jsonLines } from '../json-lines.ts'
import type { BuildReport } from './build-scripts.ts'
import { runInBuilder } from './builder-command.ts'

interface Descriptor {
  mediaType: string
  digest: string
  size: number
}

/** The image that a builder has exported: all of it but its layers. */
export interface ExportedImage {
  /** `<repository>:<tag>`. */
  name: string
  /** What an archive of it holds besides the layers, by path. */
  described: Readonly<Record<string, string | Buffer>>
  /** Paths. */
  layers: readonly string[]
  /** Ids of the layers, as the engine shows them. */
  diffIds: readonly string[]
  /** Hashes of all that was exported. */
  blobs: readonly string[]
}

const MEGABYTE = 1024 * 1024

const blobOf = (digest: string): string => {
  const hash = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1]
  if (!hash) throw new Error('The builder names a digest that is none')
  return `blobs/sha256/${hash}`
}

/** All but the layers is written here: a builder that was taken over can name no other image. */
export function readExport(report: BuildReport, name: string): ExportedImage {
  const [manifestFile, configFile] = [report.file('manifest'), report.file('config')]
  const manifest = JSON.parse(manifestFile.toString()) as { mediaType?: string; layers: Descriptor[] }
  const { rootfs } = JSON.parse(configFile.toString()) as { rootfs: { diff_ids: string[] } }
  const { mediaType = 'application/vnd.oci.image.manifest.v1+json' } = manifest
  const layers = manifest.layers.map(({ digest }) => blobOf(digest))
  const [manifestBlob, configBlob] = [blobOf(digestOf(manifestFile)), blobOf(digestOf(configFile))]
  const descriptor = { mediaType, digest: digestOf(manifestFile), size: manifestFile.length }
  const described = {
    'oci-layout': '{"imageLayoutVersion":"1.0.0"}',
    'index.json': JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: [{ ...descriptor, annotations: annotationsOf(name) }],
    }),
    'manifest.json': JSON.stringify([{ Config: configBlob, RepoTags: [name], Layers: layers }]),
    [manifestBlob]: manifestFile,
    [configBlob]: configFile,
  }
  const blobs = [manifestBlob, configBlob, ...layers].map((path) => basename(path))
  return { name, described, layers, diffIds: rootfs.diff_ids, blobs }
}

/**
 * Loads an exported image into the engine, without the layers that it has from images that are known. Layer ids are believed
 * by the engine, so only those of the environment's own images and bases may be left out. Returns its id on the engine.
 */
export async function takeImage(
  engine: DockerEngine,
  { name, described, layers, diffIds }: ExportedImage,
  { builder, folder, known }: { builder: string; folder: string; known: readonly string[] },
  signal: AbortSignal,
): Promise<string> {
  const loading = { engine, builder, folder, described, signal }
  const common = await longestCommon(engine, diffIds, known, signal)
  const isTaken = common > 0 && (await load(loading, layers.slice(common)))
  if (!isTaken && !(await load(loading, layers)))
    throw new Error('The container engine did not take the image that was built')
  const { Id, RootFS } = (await ask(engine, { path: `/images/${name}/json`, signal })) as ImageInspectInfo
  if (JSON.stringify(RootFS.Layers ?? []) !== JSON.stringify(diffIds))
    throw new Error('The container engine has another image than the one that was built')
  return Id
}

const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`

const annotationsOf = (name: string) => ({
  'io.containerd.image.name': `docker.io/${name}`,
  'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
})

/** How many of the first layers one of the known images has, too. */
async function longestCommon(
  engine: DockerEngine,
  layers: readonly string[],
  known: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const counts = await Promise.all(
    known.map(async (id) => {
      const { RootFS } = (await ask(engine, { path: `/images/${id}/json`, signal }).catch(() => ({ RootFS: {} }))) as {
        RootFS: { Layers?: string[] }
      }
      const differs = layers.findIndex((layer, index) => layer !== RootFS.Layers?.[index])
      return differs === -1 ? layers.length : differs
    }),
  )
  return Math.max(0, ...counts)
}

interface Loading {
  engine: DockerEngine
  builder: string
  folder: string
  described: Readonly<Record<string, string | Buffer>>
  signal: AbortSignal
}

/** False when the engine refuses what it is given, such as for a layer that it has no longer. */
async function load({ engine, described, signal, ...loading }: Loading, layers: readonly string[]): Promise<boolean> {
  const archive = pack()
  for (const [name, content] of Object.entries(described)) archive.entry({ name }, content)
  const sending = sendLayers({ engine, ...loading, signal }, archive, new Set(layers)).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  )
  try {
    const answer = await engine.docker.loadImage(Readable.from(archive), { quiet: true, abortSignal: signal })
    let refusal: string | null = null
    for await (const { error } of jsonLines<{ error?: string }>(answer)) refusal = error ?? refusal
    return refusal === null
  } catch (error) {
    if (statusOf(error) === null) throw error
    return false
  } finally {
    archive.destroy()
    await sending
  }
}

/** Only files that were asked for. */
async function sendLayers(
  { engine, builder, folder, signal }: Omit<Loading, 'described'>,
  archive: Pack,
  layers: ReadonlySet<string>,
): Promise<void> {
  if (layers.size === 0) return
  const sent = new PassThrough({ highWaterMark: MEGABYTE })
  const drained = () =>
    new Promise<void>((resolve) => {
      const goOn = () => {
        sent.off('drain', goOn).off('close', goOn)
        resolve()
      }
      sent.once('drain', goOn).once('close', goOn)
    })
  const output = (chunk: Uint8Array) => (sent.write(chunk) || sent.destroyed ? undefined : drained())
  const command = ['tar', 'c', '-C', folder, ...layers]
  const ended = runInBuilder(engine, builder, command, { output }, signal).then(
    ({ exitCode, errorOutput }) =>
      exitCode === 0 ? sent.end() : sent.destroy(new Error(`The builder cannot send its image: ${errorOutput.trim()}`)),
    (error: Error) => sent.destroy(error),
  )
  try {
    const files = extract()
    // A pipe hands no error on, and one that nothing handles ends the process.
    sent.once('error', (error) => files.destroy(error))
    for await (const file of sent.pipe(files)) {
      const { name, size = 0 } = file.header
      if (!layers.has(name)) throw new Error('The builder sends a file that was not asked for')
      await new Promise<void>((resolve, reject) => {
        const entry = archive.entry({ name, size }, (error) => (error ? reject(error) : resolve()))
        file.once('error', reject).pipe(entry)
      })
    }
  } finally {
    sent.destroy()
    await ended
  }
}
