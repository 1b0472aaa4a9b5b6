import { PassThrough, Readable } from 'node:stream'
import { pack } from 'tar-stream'
import { ask, type DockerEngine } from '../../../engine/docker/connection.ts'
import { statusOf } from '../../../engine/docker/engine-answers.ts'
import { jsonLines } from '../json-lines.ts'
import { readFromBuilder, runInBuilder } from './builder-command.ts'

interface Descriptor {
  mediaType: string
  digest: string
  size: number
}

interface Manifest {
  mediaType?: string
  config: Descriptor
  layers: Descriptor[]
}

interface Exported {
  /** Folder of the OCI layout in the builder. */
  folder: string
  /** `<repository>:<tag>`. */
  name: string
  /** Images whose layers need not be sent, because whoever built has them. */
  known: readonly string[]
}

const blobOf = (digest: string): string => {
  const hash = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1]
  if (!hash) throw new Error('The builder names a digest that is none')
  return `blobs/sha256/${hash}`
}

/**
 * Loads what a builder has exported into the engine, without the layers that it has from images that are known. Layer ids
 * are believed by the engine, so only those of the environment's own images and bases may be left out. Returns the
 * image's id on the engine.
 */
export async function takeImage(
  engine: DockerEngine,
  builder: string,
  { folder, name, known }: Exported,
  signal: AbortSignal,
): Promise<string> {
  const read = async <T>(path: string) =>
    JSON.parse(await readFromBuilder(engine, builder, ['cat', `${folder}/${path}`], signal)) as T
  const { manifests } = await read<{ manifests: Descriptor[] }>('index.json')
  const [descriptor] = manifests
  if (!descriptor) throw new Error('The builder has exported no image')
  const manifest = await read<Manifest>(blobOf(descriptor.digest))
  const { rootfs } = await read<{ rootfs: { diff_ids: string[] } }>(blobOf(manifest.config.digest))
  const layers = manifest.layers.map(({ digest }) => blobOf(digest))
  const describing = {
    'index.json': {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: [{ ...descriptor, annotations: annotationsOf(name) }],
    },
    'manifest.json': [{ Config: blobOf(manifest.config.digest), RepoTags: [name], Layers: layers }],
  }
  await write(engine, builder, folder, describing, signal)
  const always = [
    'oci-layout',
    'index.json',
    'manifest.json',
    blobOf(descriptor.digest),
    blobOf(manifest.config.digest),
  ]
  const common = await longestCommon(engine, rootfs.diff_ids, known, signal)
  const isTaken = common > 0 && (await load(engine, builder, folder, [...always, ...layers.slice(common)], signal))
  if (!isTaken && !(await load(engine, builder, folder, [...always, ...layers], signal)))
    throw new Error('The container engine did not take the image that was built')
  const { Id, RootFS } = await engine.docker.getImage(name).inspect()
  if (JSON.stringify(RootFS.Layers ?? []) !== JSON.stringify(rootfs.diff_ids))
    throw new Error('The container engine has another image than the one that was built')
  return Id
}

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

async function write(
  engine: DockerEngine,
  builder: string,
  folder: string,
  files: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<void> {
  const archive = pack()
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, JSON.stringify(content))
  archive.finalize()
  const input = Readable.from(archive)
  const { exitCode, errorOutput } = await runInBuilder(engine, builder, ['tar', 'x', '-C', folder], { input }, signal)
  if (exitCode !== 0) throw new Error(`The builder's image cannot be described: ${errorOutput.trim()}`)
}

/** False when the engine refuses what it is given, such as for a layer that it has no longer. */
async function load(
  engine: DockerEngine,
  builder: string,
  folder: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const archive = new PassThrough({ highWaterMark: 1024 * 1024 })
  const drained = () => new Promise<void>((resolve) => archive.once('drain', resolve).once('close', resolve))
  const output = (chunk: Uint8Array) => (archive.write(chunk) || archive.destroyed ? undefined : drained())
  const sending = runInBuilder(engine, builder, ['tar', 'c', '-C', folder, ...paths], { output }, signal).then(
    ({ exitCode, errorOutput }) =>
      exitCode === 0 ? archive.end() : archive.destroy(new Error(`The builder cannot send its image: ${errorOutput}`)),
    (error) => archive.destroy(error),
  )
  try {
    const answer = await engine.docker.loadImage(archive, { quiet: true, abortSignal: signal })
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
