import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pack } from 'tar-stream'
import type { DockerEngine } from '../../connection.ts'
import { readFromBuilder, runInBuilder } from './builder-command.ts'
import { BUILDER_ROOT } from './builder-container.ts'

/** Where a builder has the images that it was given, by the hash of their id. */
export const BASES_FOLDER = `${BUILDER_ROOT}/berth-bases`
const IMAGE_ID = /^sha256:[0-9a-f]{64}$/
const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const OCI_CONFIG = 'application/vnd.oci.image.config.v1+json'

/** An image in the builder, for `buildctl`. */
export interface GivenImage {
  /** Of the OCI layout, as `--oci-layout` takes it. */
  store: string
  folder: string
  /** Of its manifest. */
  digest: string
}

interface SavedImage {
  Config: string
  Layers: string[]
}

/** Ends in a name: what is there under it is whole. `$1`: a folder. */
const UNPACK = 'rm -rf "$1"; mkdir -p "$1" && tar x -C "$1"'

export function hashOf(imageId: string): string {
  if (!IMAGE_ID.test(imageId)) throw new Error(`"${imageId}" is no id of an image`)
  return imageId.slice('sha256:'.length)
}

/** An image that the builder was given for an earlier build. */
export const givenBase = (hash: string, digest: string): GivenImage => ({
  store: `base-${hash}`,
  folder: `${BASES_FOLDER}/${hash}`,
  digest,
})

/**
 * Gives an image of the engine to a builder, which cannot reach the engine: as an OCI layout in its cache, under the
 * image's id.
 */
export async function giveBase(
  engine: DockerEngine,
  builder: string,
  imageId: string,
  signal: AbortSignal,
): Promise<GivenImage> {
  const hash = hashOf(imageId)
  const folder = `${BASES_FOLDER}/${hash}`
  const partial = `${folder}.partial`
  const saved = await engine.docker.getImage(imageId).get()
  const input = Readable.from(saved as AsyncIterable<Uint8Array>)
  await succeed(engine, builder, ['sh', '-c', UNPACK, 'sh', partial], input, signal)
  const digest = await completeLayout(engine, builder, partial, signal)
  const move = 'echo "$3" > "$1/digest"; rm -rf "$2"; mv "$1" "$2"'
  await succeed(engine, builder, ['sh', '-c', move, 'sh', partial, folder, digest], null, signal)
  const base = givenBase(hash, digest)
  await extract(engine, builder, base, signal)
  return base
}

/** Arguments of `buildctl` by which a Dockerfile finds it under a name. */
export const baseArguments = ({ store, folder, digest }: GivenImage, name: string): string[] => [
  '--oci-layout',
  `${store}=${folder}`,
  '--opt',
  `context:${name}=oci-layout://${store}@${digest}`,
]

/**
 * Before any build: what its layers take is not the build's. An image whose ONBUILD instructions need more than this has
 * them extracted later.
 */
async function extract(engine: DockerEngine, builder: string, base: GivenImage, signal: AbortSignal): Promise<void> {
  const script =
    'd=$(mktemp -d); printf "FROM base\\nWORKDIR /berth" > "$d/Dockerfile"; buildctl build --frontend dockerfile.v0 --local context="$d" --local dockerfile="$d" "$@" >/dev/null 2>&1; rm -rf "$d"'
  await runInBuilder(engine, builder, ['sh', '-c', script, 'sh', ...baseArguments(base, 'base')], {}, signal)
}

/**
 * Engines save an image in forms of their own. All have a manifest.json that names the configuration and the layers;
 * older ones keep the layers outside of `blobs/`. Returns the manifest's digest.
 */
async function completeLayout(
  engine: DockerEngine,
  builder: string,
  folder: string,
  signal: AbortSignal,
): Promise<string> {
  const [image] = JSON.parse(await readFromBuilder(engine, builder, ['cat', `${folder}/manifest.json`], signal)) as [
    SavedImage,
  ]
  const configText = await readFromBuilder(engine, builder, ['cat', `${folder}/${image.Config}`], signal)
  const { rootfs } = JSON.parse(configText) as { rootfs: { diff_ids: string[] } }
  const layers = image.Layers.map((path, index) => ({ path, digest: digestIn(path) ?? rootfs.diff_ids[index] ?? '' }))
  const measured = await measure(
    engine,
    builder,
    folder,
    layers.map(({ path }) => path),
    signal,
  )
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    config: { mediaType: OCI_CONFIG, digest: digestOf(configText), size: Buffer.byteLength(configText) },
    layers: layers.map(({ digest }, index) => ({ ...measured[index], digest })),
  })
  const index = JSON.stringify({
    schemaVersion: 2,
    manifests: [{ mediaType: OCI_MANIFEST, digest: digestOf(manifest), size: Buffer.byteLength(manifest) }],
  })
  const moves = [{ path: image.Config, digest: digestOf(configText) }, ...layers].flatMap(({ path, digest }) => [
    path,
    blobOf(digest),
  ])
  const link =
    'cd "$1" && shift && mkdir -p blobs/sha256 && while [ $# -gt 0 ]; do [ "$1" = "$2" ] || [ -e "$2" ] || ln "$(readlink -f "$1")" "$2" || exit 1; shift 2; done'
  await succeed(engine, builder, ['sh', '-c', link, 'sh', folder, ...moves], null, signal)
  const archive = pack()
  archive.entry({ name: blobOf(digestOf(manifest)) }, manifest)
  archive.entry({ name: 'index.json' }, index)
  archive.entry({ name: 'oci-layout' }, '{"imageLayoutVersion":"1.0.0"}')
  archive.finalize()
  await succeed(engine, builder, ['tar', 'x', '-C', folder], Readable.from(archive), signal)
  return digestOf(manifest)
}

const digestIn = (path: string): string | null => {
  const hash = /^blobs\/sha256\/([0-9a-f]{64})$/.exec(path)?.[1]
  return hash ? `sha256:${hash}` : null
}

const blobOf = (digest: string): string => `blobs/sha256/${digest.slice('sha256:'.length)}`

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** Sizes and media types. A layer that is compressed begins with gzip's or zstd's mark. */
async function measure(
  engine: DockerEngine,
  builder: string,
  folder: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<{ mediaType: string; size: number }[]> {
  if (paths.length === 0) return []
  const script =
    'cd "$1" && shift && for path; do stat -L -c %s "$path"; head -c 4 "$path" | od -An -tx1 | tr -d " \\n"; echo; done'
  const printed = await readFromBuilder(engine, builder, ['sh', '-c', script, 'sh', folder, ...paths], signal)
  const lines = printed.split('\n')
  return paths.map((_path, index) => ({
    mediaType: `application/vnd.oci.image.layer.v1.tar${compressionOf(lines[2 * index + 1] ?? '')}`,
    size: Number(lines[2 * index]),
  }))
}

function compressionOf(firstBytes: string): '' | '+gzip' | '+zstd' {
  if (firstBytes.startsWith('1f8b')) return '+gzip'
  return firstBytes === '28b52ffd' ? '+zstd' : ''
}

async function succeed(
  engine: DockerEngine,
  builder: string,
  command: readonly string[],
  input: AsyncIterable<Uint8Array> | null,
  signal: AbortSignal,
): Promise<void> {
  const { exitCode, errorOutput } = await runInBuilder(engine, builder, command, { input }, signal)
  if (exitCode !== 0) throw new Error(`A base image cannot be given to the builder: ${errorOutput.trim()}`)
}
