import type { DockerEngine } from '../../../engine/docker/connection.ts'
import { says } from '../../../engine/docker/engine-words.ts'
import type { ImageBuild } from '../../image-builder.ts'
import { ImageError } from '../../image-builder.ts'
import { listBuilt } from '../built-images.ts'
import { imageLabels } from '../image-labels.ts'
import { baseArguments, giveBase } from './bases.ts'
import { readFromBuilder, runInBuilder } from './builder-command.ts'
import { type BuilderSettings, ensureBuilder, removeBuilder, restartBuilder } from './builder-container.ts'
import { BuildProgress } from './progress.ts'
import { takeImage } from './take-image.ts'

const CLEAN_UP_SECONDS = 15
const KNOWN_IMAGES = 10

/** `$1`: a folder, `$2`: the Dockerfile in the archive, which is not for the image. `-m`: contexts are compared by size and time, and all files of a packed one have the same time. */
const UNPACK =
  'rm -rf "$1" && mkdir -p "$1/context" "$1/dockerfile" && tar x -m -C "$1/context" && mv "$1/context/$2" "$1/dockerfile/Dockerfile"'

/**
 * Runs `buildctl` with the arguments after the first two. Closing a command's connection ends nothing in a container but
 * its input, so the program ends with that: of a build that is cancelled, too late, or whose worker died. It also ends
 * when the layers that are new have more than `$1` KB, and then leaves a file in the folder `$2`.
 */
const TIED = `limit=$1 folder=$2; shift 2
snapshots() { ls -d "$HOME"/.local/share/buildkit/runc-*/snapshots/snapshots/* 2>/dev/null; }
before=" $(snapshots | tr '\\n' ' ') "
exec 3<&0
buildctl "$@" </dev/null 3<&- 2>&1 & build=$!
{ cat >/dev/null; kill $build; } <&3 >/dev/null 2>&1 & watch=$!
exec 3<&-
while sleep 0.5; do
  fresh=
  for one in $(snapshots); do case "$before" in *" $one "*) ;; *) fresh="$fresh $one" ;; esac; done
  [ "$fresh" ] || continue
  used=$(du -skc $fresh 2>/dev/null | tail -n 1 | cut -f 1)
  if [ "\${used:-0}" -gt "$limit" ]; then echo "$used" > "$folder/too-large"; kill $build; break; fi
done </dev/null >/dev/null 2>&1 & disk=$!
wait $build; code=$?
kill $watch $disk 2>/dev/null
exit $code`

/** Kills for memory in the container, as both versions of control groups count them. */
const OUT_OF_MEMORY =
  'cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null | sed -n "s/^oom_kill //p"'

export interface OwnBuilderOptions {
  engine: DockerEngine
  settings: BuilderSettings
  provideImage: (image: string, signal: AbortSignal) => Promise<void>
}

/** Builds of one account go one after the other: its builder's limits are for all of them. */
const queues = new Map<string, Promise<unknown>>()

export async function buildInOwnBuilder(
  options: OwnBuilderOptions,
  build: ImageBuild,
  signal: AbortSignal,
): Promise<string> {
  const key = `${options.engine.installationId} ${build.accountId}`
  const before = queues.get(key) ?? Promise.resolve()
  const turn = before.then(() => buildNow(options, build, signal))
  const settled = turn.catch(() => {})
  queues.set(key, settled)
  void settled.then(() => queues.get(key) === settled && queues.delete(key))
  return turn
}

async function buildNow(options: OwnBuilderOptions, build: ImageBuild, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  const { engine } = options
  const { accountId, resources, processes } = build
  const builder = await ensureBuilder({ ...options, accountId, resources, processes }, signal)
  const folder = `/home/user/builds/${build.operationId}`
  try {
    const context = build.context as AsyncIterable<Uint8Array>
    const { exitCode, errorOutput } = await runInBuilder(
      ...([engine, builder, ['sh', '-c', UNPACK, 'sh', folder, build.dockerfile]] as const),
      { input: context },
      signal,
    )
    if (exitCode !== 0) throw failureOf(`The source cannot be unpacked: ${errorOutput.trim()}`)
    const bases = await giveBases(engine, builder, build.bases ?? {}, signal)
    const labels = imageLabels(engine.installationId, build)
    await solve(engine, builder, { build, folder, bases, labels }, signal)
    const earlier = await listBuilt(engine, { appEnvId: build.appEnvId }, signal)
    const known = [...earlier.slice(0, KNOWN_IMAGES).map(({ id }) => id), ...Object.values(build.bases ?? {})]
    return await takeImage(engine, builder, { folder: `${folder}/image`, name: build.name, known }, signal)
  } catch (error) {
    // What steps that were broken off have written stays in use until the daemon starts again.
    const isBrokenOff = signal.aborted || (error instanceof ImageError && error.reason === 'DISK_QUOTA_EXCEEDED')
    if (isBrokenOff) await cleanUp((within) => restartBuilder(engine, accountId, within))
    else if (error instanceof BuilderWedged)
      await cleanUp((within) => removeBuilder(engine, accountId, { keepsCache: false }, within))
    throw error
  } finally {
    await cleanUp((within) => runInBuilder(engine, builder, ['rm', '-rf', folder], {}, within))
  }
}

/** Not under the build's signal. What it leaves goes when the builder starts the next time. */
const cleanUp = (work: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> =>
  work(AbortSignal.timeout(CLEAN_UP_SECONDS * 1000)).catch(() => {})

/** Arguments of `buildctl` for images that only the engine has. */
async function giveBases(
  engine: DockerEngine,
  builder: string,
  bases: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string[]> {
  const found: string[] = []
  for (const [name, imageId] of Object.entries(bases)) {
    found.push(...baseArguments(await giveBase(engine, builder, imageId, signal), name))
  }
  return found
}

interface Solving {
  build: ImageBuild
  folder: string
  bases: readonly string[]
  labels: Readonly<Record<string, string>>
}

/** Leaves the image in the folder. */
async function solve(
  engine: DockerEngine,
  builder: string,
  { build, folder, bases, labels }: Solving,
  signal: AbortSignal,
): Promise<void> {
  const options = (kind: string, values: Readonly<Record<string, string>>) =>
    Object.entries(values).flatMap(([name, value]) => ['--opt', `${kind}:${name}=${value}`])
  const command = [
    ...['build', '--frontend', 'dockerfile.v0', '--progress=rawjson'],
    ...['--local', `context=${folder}/context`, '--local', `dockerfile=${folder}/dockerfile`],
    // "Host" is the builder's own namespace, which is the account's network: any other would have other name servers.
    ...['--allow', 'network.host', '--opt', 'force-network-mode=host'],
    ...options('build-arg', build.buildArgs),
    ...options('label', labels),
    ...bases,
    ...['--output', `type=docker,tar=false,dest=${folder}/image,name=${build.name}`],
  ]
  const kills = await killsIn(engine, builder, signal)
  const progress = new BuildProgress(build.onLine)
  const waiting = { input: forever(signal), output: (chunk: Uint8Array) => progress.add(chunk) }
  const { exitCode } = await runInBuilder(
    engine,
    builder,
    ['sh', '-c', TIED, 'sh', `${build.diskMb * 1024}`, folder, ...command],
    waiting,
    signal,
  )
  progress.end()
  if (exitCode === 0) return
  const isTooLarge = await readFromBuilder(
    ...([engine, builder, ['sh', '-c', 'cat "$1/too-large" 2>/dev/null || true', 'sh', folder]] as const),
    signal,
  )
  if (isTooLarge !== '')
    throw new ImageError('DISK_QUOTA_EXCEEDED', `The build has written more than ${build.diskMb} MB`)
  const { reason, excerpt } = reasonIn(progress.words)
  for (const line of excerpt) build.onLine(line)
  const isKilled = (await killsIn(engine, builder, signal)) > kills
  const { memoryMb } = build.resources
  throw failureOf(isKilled ? `${reason} (out of memory: a build may use ${memoryMb} MB)` : reason)
}

/** An input that says nothing until the build ends or is given up. */
async function* forever(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

async function killsIn(engine: DockerEngine, builder: string, signal: AbortSignal): Promise<number> {
  return (
    Number((await readFromBuilder(engine, builder, ['sh', '-c', OUT_OF_MEMORY], signal)).trim().split('\n')[0]) || 0
  )
}

/** The last words are the reason; those before show the place in the Dockerfile. */
function reasonIn(words: readonly string[]): { reason: string; excerpt: readonly string[] } {
  const at = words.findLastIndex((line) => line.startsWith('error: '))
  const reason = (words[at] ?? words.at(-1) ?? 'the builder says nothing').replace(/^error: (failed to solve: )?/, '')
  return { reason, excerpt: at === -1 ? [] : words.slice(0, at) }
}

/** Its cache is full, and no build can go on with it. */
class BuilderWedged extends Error {}

const failureOf = (words: string): Error =>
  says(words, 'builderFull')
    ? new BuilderWedged(`The builder could not build: ${words}`)
    : new ImageError('BUILD_FAILED', words)
