import { setTimeout as pause } from 'node:timers/promises'
import type { ContainerCreateOptions } from 'dockerode'
import type { Resources } from '../../../domain/resources.ts'
import type { DockerEngine } from '../../../engine/docker/connection.ts'
import { statusOf, tolerating } from '../../../engine/docker/engine-answers.ts'
import { LABEL } from '../../../engine/docker/labels.ts'
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

/** The user of the image, who has no right beyond his own files. */
const USER = '1000:1000'
/** The daemon's files: its cache is all that outlives a builder. */
export const BUILDER_ROOT = '/home/user/.local/share/buildkit'
/** In memory: secrets are gone with the builder. */
export const SECRETS_FOLDER = '/run/berth'

/** Changes with what is below, so that a builder of another Berth is replaced. */
const FORM = '1'
const FORM_LABEL = 'berth.form'

const CPU_PERIOD_US = 100_000
/** An eighth of what each app has, where they compete: a build may wait, a request may not. */
const CPU_SHARES = 128
const READY_SECONDS = 30
const READY_PAUSE_MS = 30
const ATTEMPTS = 5

const NOT_FOUND = 404
const CONFLICT = 409
const NOT_MODIFIED = 304

/**
 * `$1`: seconds without a build after which it ends. The daemon is not the first process, because that one gets no
 * default action of a signal.
 */
const RUN = `
rm -rf "$HOME/builds"; mkdir -p "$HOME/builds" "$HOME/.config/buildkit"
printf '%s' "$CONFIGURATION" > "$HOME/.config/buildkit/buildkitd.toml"
rootlesskit buildkitd --config "$HOME/.config/buildkit/buildkitd.toml" & daemon=$!
trap 'kill $daemon' TERM INT
idle=0
while kill -0 $daemon 2>/dev/null; do
  sleep 5 & wait $!
  if pidof buildctl >/dev/null; then idle=0; else idle=$((idle + 5)); fi
  if [ $idle -ge "$1" ]; then kill $daemon; fi
done
wait $daemon`

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

interface Wanted extends BuilderLimits {
  engine: DockerEngine
  accountId: string
  settings: BuilderSettings
  /** Has the engine pull the image of builders. */
  provideImage: (image: string, signal: AbortSignal) => Promise<void>
}

/** The id of the account's builder, which answers. One is created, started or replaced as needed. */
export async function ensureBuilder(wanted: Wanted, signal: AbortSignal): Promise<string> {
  const { engine, accountId, settings } = wanted
  const name = builderName(engine.installationId, accountId)
  const container = engine.docker.getContainer(name)
  for (let attempt = 1; ; attempt += 1) {
    try {
      const found = await container.inspect({ abortSignal: signal })
      const isOurs = found.Config.Labels?.[LABEL.installation] === engine.installationId
      if (!isOurs) throw new Error(`The name ${name} is taken by someone else's container`)
      const isCurrent = found.Config.Labels?.[FORM_LABEL] === formOf(settings)
      if (!isCurrent) await removeBuilder(engine, accountId, { keepsCache: true }, signal)
      else {
        if (!found.State.Running) await tolerating([NOT_MODIFIED], () => container.start({ abortSignal: signal }))
        await limit(wanted, signal)
        await untilReady(engine, found.Id, signal)
        return found.Id
      }
    } catch (error) {
      if (statusOf(error) !== NOT_FOUND || attempt === ATTEMPTS) throw error
    }
    await create(wanted, name, signal)
  }
}

const formOf = ({ image, cacheMb, idleSeconds }: BuilderSettings): string =>
  [FORM, image, cacheMb, idleSeconds].join(' ')

async function create(wanted: Wanted, name: string, signal: AbortSignal): Promise<void> {
  const { engine, accountId, settings } = wanted
  const labels = labelsOf(engine.installationId, accountId)
  const volume = cacheVolume(engine.installationId, accountId)
  await engine.docker.createVolume({ Name: volume, Labels: labels, abortSignal: signal })
  const { name: network } = await engine.networks.ensure(accountId)
  const options: ContainerCreateOptions = {
    name,
    Image: settings.image,
    Labels: { ...labels, [FORM_LABEL]: formOf(settings) },
    User: USER,
    Entrypoint: ['sh', '-c', RUN, 'sh', `${settings.idleSeconds}`],
    Cmd: [],
    Env: [
      `CONFIGURATION=${configuration(settings.cacheMb)}`,
      // Otherwise the last line of a step that prints much is lost.
      ...['BUILDKIT_STEP_LOG_MAX_SIZE=-1', 'BUILDKIT_STEP_LOG_MAX_SPEED=-1'],
    ],
    HostConfig: {
      NetworkMode: network,
      Init: true,
      CapDrop: ['ALL'],
      // In the bounding set alone, for newuidmap and newgidmap: the daemon itself has none.
      CapAdd: ['SETUID', 'SETGID'],
      SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
      // A user namespace of its own mounts /proc only where none of it is hidden. Steps get the daemon's default seccomp.
      ...{ MaskedPaths: [], ReadonlyPaths: [] },
      Mounts: [{ Type: 'volume', Source: volume, Target: BUILDER_ROOT }],
      Tmpfs: { [SECRETS_FOLDER]: 'uid=1000,gid=1000,mode=0700,size=16m' },
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
    await wanted.provideImage(settings.image, signal)
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

/** Also of one that runs: what a plan or an app allows may have changed. */
async function limit(wanted: Wanted, signal: AbortSignal): Promise<void> {
  const { engine, accountId } = wanted
  const container = engine.docker.getContainer(builderName(engine.installationId, accountId))
  await container.update({ ...limitsOf(wanted), abortSignal: signal })
}

async function untilReady(engine: DockerEngine, id: string, signal: AbortSignal): Promise<void> {
  const until = performance.now() + READY_SECONDS * 1000
  for (;;) {
    const { exitCode, errorOutput } = await runInBuilder(engine, id, ['buildctl', 'debug', 'workers'], {}, signal)
    if (exitCode === 0) return
    if (performance.now() > until) throw new Error(`The builder does not get ready: ${errorOutput.trim()}`)
    await pause(READY_PAUSE_MS, undefined, { signal })
  }
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

/** What a cancelled step has written stays in use until the daemon starts again. */
export async function restartBuilder(engine: DockerEngine, accountId: string, signal: AbortSignal): Promise<void> {
  const container = engine.docker.getContainer(builderName(engine.installationId, accountId))
  await tolerating([NOT_FOUND], () => container.restart({ t: 2, abortSignal: signal }))
}
