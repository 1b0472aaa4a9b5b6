import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Container, ContainerCreateOptions, ContainerInspectInfo } from 'dockerode'
import type { Resources } from '../../../../domain/resources.ts'
import type { DockerEngine } from '../../connection.ts'
import { statusOf, tolerating } from '../../engine-answers.ts'
import { readFrames } from '../../exec/stream-frames.ts'
import { LABEL } from '../../labels.ts'
import { runInBuilder } from './builder-command.ts'

/** How every builder is made. */
export interface BuilderSettings {
  /** A rootless BuildKit. */
  image: string
  /** Disk space that an account's cache may take. */
  cacheMb: number
  /** A builder without a build ends itself after this time; its cache stays. */
  idleSeconds: number
}

/** What all that an account builds may use at a time. */
export interface BuilderLimits {
  resources: Resources
  processes: number
}

export const BUILDER_ROLE = 'builder'

/** The daemon's files: its cache is all that outlives a builder. */
export const BUILDER_ROOT = '/home/user/.local/share/buildkit'
/** What was exported last for each environment: blobs that are there already are not written again. */
export const EXPORTS_FOLDER = `${BUILDER_ROOT}/berth-exports`
/** In memory: secrets are gone with the builder. */
export const SECRETS_FOLDER = '/run/berth'

/** Changes with what is below, so that a builder of another Berth is replaced. */
const FORM = '4'
const FORM_LABEL = 'berth.form'

const CPU_PERIOD_US = 100_000
/** An eighth of what each app has, where they compete: a build may wait, a request may not. */
const CPU_SHARES = 128
/** In bytes, of one step, as BuildKit has it by default; the daemon says where it cut. */
const MAX_STEP_OUTPUT = 2 * 1024 * 1024
const READY_SECONDS = 30
const READY_PAUSE_MS = 30
const ATTEMPTS = 5
const MAX_WORDS = 500

const NOT_FOUND = 404
const CONFLICT = 409
const NOT_MODIFIED = 304

/**
 * As the image's user, who has no right beyond his own files, in a user namespace of his own. Where the machine lets no
 * user have one, as root with the one capability that mounting needs.
 */
type Mode = 'rootless' | 'root'

const USERS: Record<Mode, string> = { rootless: '1000:1000', root: '0:0' }
const CAPABILITIES: Record<Mode, string[]> = {
  // In the bounding set alone, for newuidmap and newgidmap: the daemon itself has none.
  rootless: ['SETUID', 'SETGID'],
  // What steps may have by default, and the daemon must have to give it.
  root: [
    'SYS_ADMIN',
    'SETUID',
    'SETGID',
    'CHOWN',
    'DAC_OVERRIDE',
    'FOWNER',
    'FSETID',
    'KILL',
    'SETPCAP',
    'SETFCAP',
    'MKNOD',
    'NET_RAW',
    'NET_BIND_SERVICE',
    'SYS_CHROOT',
    'AUDIT_WRITE',
  ],
}

/** The parent of a rootless daemon says so when it gets no namespace for it. */
const NO_USER_NAMESPACE = /rootlesskit:parent\] error: failed to (start the child|setup UID\/GID map)/

/** Engines on which no builder runs rootless. */
const withoutUserNamespaces = new WeakSet<DockerEngine>()

/**
 * `$1`: seconds without a build after which it ends. The daemon is not the first process, because that one gets no
 * default action of a signal.
 */
const RUN = `
rm -rf "$HOME/builds"; mkdir -p "$HOME/builds" "$HOME/.config/buildkit"
printf '%s' "$CONFIGURATION" > "$HOME/.config/buildkit/buildkitd.toml"
run=
if [ "$(id -u)" != 0 ]; then run=rootlesskit
else for group in /sys/fs/cgroup /sys/fs/cgroup/*; do mount -o remount,rw,bind "$group" 2>/dev/null; done
fi
$run buildkitd --config "$HOME/.config/buildkit/buildkitd.toml" --root "${BUILDER_ROOT}" --addr "$BUILDKIT_HOST" & daemon=$!
trap 'kill $daemon' TERM INT
idle=0
while kill -0 $daemon 2>/dev/null; do
  sleep 5 & wait $!
  if pidof buildctl tar >/dev/null; then idle=0; else idle=$((idle + 5)); fi
  if [ $idle -ge "$1" ]; then kill $daemon; fi
done
wait $daemon`

/** Where the daemon listens, whichever user it runs as. */
const ADDRESS = 'unix:///home/user/.local/buildkitd.sock'

const configuration = (cacheMb: number): string => `
insecure-entitlements = ["network.host"]
[worker.oci]
  gc = true
  [[worker.oci.gcpolicy]]
    all = true
    maxUsedSpace = "${cacheMb}MB"
`

export const builderName = (installationId: string, accountId: string): string =>
  `berth-${installationId.slice(-8)}-builder-${accountId.slice(-8)}`

export const cacheVolume = (installationId: string, accountId: string): string =>
  `${builderName(installationId, accountId)}-cache`

const labelsOf = (installationId: string, accountId: string) => ({
  [LABEL.installation]: installationId,
  [LABEL.role]: BUILDER_ROLE,
  [LABEL.account]: accountId,
})

/** Has the engine pull the image of builders, and reports it by `onLine`. Throws ImageError. */
export type ProvideImage = (
  image: string,
  options: { onLine: (line: string) => void; signal: AbortSignal },
) => Promise<void>

interface Wanted extends BuilderLimits {
  engine: DockerEngine
  accountId: string
  settings: BuilderSettings
  provideImage: ProvideImage
  onLine: (line: string) => void
}

/** A builder from one start to its end. */
export interface RunningBuilder {
  id: string
  startedAt: string
}

/** The runs that have answered, by the builder's name. */
const answered = new Map<string, string>()

/** The account's builder, which answers. One is created, started or replaced as needed. */
export async function ensureBuilder(wanted: Wanted, signal: AbortSignal): Promise<RunningBuilder> {
  const { engine, accountId, settings } = wanted
  const name = builderName(engine.installationId, accountId)
  const container = engine.docker.getContainer(name)
  for (let attempt = 1; ; attempt += 1) {
    const mode = withoutUserNamespaces.has(engine) ? 'root' : 'rootless'
    try {
      const found = await container.inspect({ abortSignal: signal })
      const isOurs = found.Config.Labels?.[LABEL.installation] === engine.installationId
      if (!isOurs) throw new Error(`The name ${name} is taken by a container that is not Berth’s`)
      const isCurrent = found.Config.Labels?.[FORM_LABEL] === formOf(settings, mode)
      if (!isCurrent)
        await removeBuilder(engine, accountId, { keepsCache: isRootless(found) === (mode === 'rootless') }, signal)
      else {
        if (!hasLimits(found, wanted)) await container.update({ ...limitsOf(wanted), abortSignal: signal })
        const running = found.State.Running ? found : await start(container, signal)
        const builder = { id: running.Id, startedAt: running.State.StartedAt }
        const run = `${builder.id} ${builder.startedAt}`
        const problem = answered.get(name) === run ? null : await untilReady(engine, builder, signal)
        if (problem === null) {
          answered.set(name, run)
          return builder
        }
        // No other failure may cost the builders of this engine their confinement.
        if (mode === 'root' || !NO_USER_NAMESPACE.test(problem))
          throw new Error(`The builder does not start: ${problem}`)
        withoutUserNamespaces.add(engine)
        wanted.onLine(`The engine's machine has no user namespaces for a builder, which so runs as root: ${problem}`)
        continue
      }
    } catch (error) {
      if (statusOf(error) !== NOT_FOUND || attempt === ATTEMPTS) throw error
    }
    await create(wanted, { name, mode }, signal)
  }
}

async function start(container: Container, signal: AbortSignal): Promise<ContainerInspectInfo> {
  await tolerating([NOT_MODIFIED], () => container.start({ abortSignal: signal }))
  return container.inspect({ abortSignal: signal })
}

const isRootless = ({ Config }: ContainerInspectInfo): boolean => Config.User === USERS.rootless

const formOf = ({ image, cacheMb, idleSeconds }: BuilderSettings, mode: Mode): string =>
  [FORM, mode, image, cacheMb, idleSeconds].join(' ')

async function create(
  wanted: Wanted,
  { name, mode }: { name: string; mode: Mode },
  signal: AbortSignal,
): Promise<void> {
  const { engine, accountId, settings } = wanted
  const labels = labelsOf(engine.installationId, accountId)
  const volume = cacheVolume(engine.installationId, accountId)
  await engine.docker.createVolume({ Name: volume, Labels: labels, abortSignal: signal })
  const { name: network } = await engine.networks.ensure(accountId)
  const options: ContainerCreateOptions = {
    name,
    Image: settings.image,
    Labels: { ...labels, [FORM_LABEL]: formOf(settings, mode) },
    User: USERS[mode],
    Entrypoint: ['sh', '-c', RUN, 'sh', `${settings.idleSeconds}`],
    Cmd: [],
    Env: [
      `CONFIGURATION=${configuration(settings.cacheMb)}`,
      `BUILDKIT_HOST=${ADDRESS}`,
      'HOME=/home/user',
      // The daemon buffers unread output in memory. By default, it drops output above 200 KiB/s.
      `BUILDKIT_STEP_LOG_MAX_SIZE=${MAX_STEP_OUTPUT}`,
      'BUILDKIT_STEP_LOG_MAX_SPEED=-1',
    ],
    HostConfig: {
      NetworkMode: network,
      Init: true,
      CapDrop: ['ALL'],
      CapAdd: CAPABILITIES[mode],
      SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
      // A user namespace of its own mounts /proc only where none of it is hidden. Steps get the daemon's default seccomp.
      MaskedPaths: [],
      ReadonlyPaths: [],
      Mounts: [{ Type: 'volume', Source: volume, Target: BUILDER_ROOT }],
      Tmpfs: { [SECRETS_FOLDER]: `uid=${USERS[mode].split(':')[0]},mode=0700,size=16m` },
      CpuShares: CPU_SHARES,
      ...limitsOf(wanted),
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    },
  }
  const make = () => tolerating([CONFLICT], () => engine.docker.createContainer({ ...options, abortSignal: signal }))
  try {
    await make()
  } catch (error) {
    if (statusOf(error) !== NOT_FOUND) throw error
    await wanted.provideImage(settings.image, { onLine: wanted.onLine, signal })
    await make()
  }
}

function limitsOf({ resources, processes }: BuilderLimits) {
  const bytes = resources.memoryMb * 1024 * 1024
  return {
    Memory: bytes,
    MemorySwap: bytes,
    // Not NanoCpus, which may not be more than the machine has.
    CpuPeriod: CPU_PERIOD_US,
    CpuQuota: Math.round(resources.cpu * CPU_PERIOD_US),
    PidsLimit: processes,
  }
}

/** What a plan or an app allows may have changed. */
const hasLimits = ({ HostConfig }: ContainerInspectInfo, wanted: Wanted): boolean =>
  Object.entries(limitsOf(wanted)).every(([name, value]) => (HostConfig as Record<string, unknown>)[name] === value)

/** Null once it answers; else what it said when it ended. */
async function untilReady(engine: DockerEngine, builder: RunningBuilder, signal: AbortSignal): Promise<string | null> {
  const until = performance.now() + READY_SECONDS * 1000
  for (;;) {
    const words = await ask(engine, builder, signal)
    if (words === null) return null
    if (!(await isSameRun(engine, builder, signal))) return lastWords(engine, builder, signal)
    if (performance.now() > until) throw new Error(`The builder does not get ready: ${words}`)
    await pause(READY_PAUSE_MS, undefined, { signal })
  }
}

/** Null: it answers. */
async function ask(engine: DockerEngine, { id }: RunningBuilder, signal: AbortSignal): Promise<string | null> {
  try {
    const { exitCode, errorOutput } = await runInBuilder(engine, id, ['buildctl', 'debug', 'workers'], {}, signal)
    return exitCode === 0 ? null : errorOutput.trim()
  } catch (error) {
    if (statusOf(error) !== CONFLICT) throw error
    return 'it has ended'
  }
}

/** Whether it has gone on without an end. */
export async function isSameRun(
  { docker }: DockerEngine,
  { id, startedAt }: RunningBuilder,
  signal: AbortSignal,
): Promise<boolean> {
  const { State } = await docker.getContainer(id).inspect({ abortSignal: signal })
  return State.Running && State.StartedAt === startedAt
}

async function lastWords({ docker }: DockerEngine, { id }: RunningBuilder, signal: AbortSignal): Promise<string> {
  const options = { stdout: true, stderr: true, tail: 3, follow: false, abortSignal: signal } as const
  const frames = await docker.getContainer(id).logs(options)
  const words: string[] = []
  for await (const { chunk } of readFrames(Readable.from([frames]))) words.push(chunk.toString())
  return words.join('').trim().replaceAll(/\s+/g, ' ').slice(-MAX_WORDS)
}

/** Removes the account's builder, and its cache unless that is kept. Already gone is fine. */
export async function removeBuilder(
  engine: DockerEngine,
  accountId: string,
  { keepsCache }: { keepsCache: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { docker, installationId } = engine
  const container = docker.getContainer(builderName(installationId, accountId))
  await tolerating([NOT_FOUND], () => container.remove({ force: true, abortSignal: signal }))
  if (keepsCache) return
  const volume = docker.getVolume(cacheVolume(installationId, accountId))
  await tolerating([NOT_FOUND], () => volume.remove({ abortSignal: signal }))
}

/** At once, from outside: nothing in it may go on any more. Started again, it has no steps. */
export async function killBuilder(engine: DockerEngine, id: string, signal: AbortSignal): Promise<void> {
  await tolerating([NOT_FOUND], () => engine.docker.getContainer(id).restart({ t: 0, abortSignal: signal }))
}

/** Unless another worker builds there. */
export async function restartUnlessBuilding(
  engine: DockerEngine,
  accountId: string,
  signal: AbortSignal,
): Promise<void> {
  const name = builderName(engine.installationId, accountId)
  const { exitCode } = await runInBuilder(engine, name, ['pidof', 'buildctl'], {}, signal)
  if (exitCode === 0) return
  await tolerating([NOT_FOUND], () => engine.docker.getContainer(name).restart({ t: 2, abortSignal: signal }))
}
