import type { DockerVersion } from 'dockerode'
import type { Runtime } from '../runtime.ts'
import { applyRollout } from './apply.ts'
import { builderTraits, buildImage } from './build.ts'
import { clearBuilds, listBuildSteps, listBuilt, removeBuildStep, removeBuilt } from './built-images.ts'
import { ask, connect, type DockerEngine, type EngineOptions } from './connection.ts'
import { EngineImages } from './images.ts'
import { replicaLogs } from './logs.ts'
import { AccountNetworks } from './networks.ts'
import { observeReplicas } from './observe.ts'
import { pushImage } from './push.ts'
import { removeReplicas } from './remove.ts'
import { ReplicaSamples } from './stats.ts'
import { removeVolume } from './volumes.ts'
import { watchReplicas } from './watch.ts'
import { within } from './within.ts'

/** The runtime port over one Docker Engine. */
export function createDockerRuntime(options: EngineOptions): Runtime {
  const engine = connect(options)
  const images = new EngineImages(engine)
  const networks = new AccountNetworks(engine)
  const samples = new ReplicaSamples(engine)
  const cores = rememberedCores(engine)
  return {
    async info(bounds) {
      const answer = await within(engine, bounds, (signal) => ask(engine, { path: '/version', signal }))
      const { Version, ApiVersion } = answer as DockerVersion
      return { name: 'Docker Engine', version: Version, apiVersion: ApiVersion }
    },
    resolveImage: (image, credential, bounds) => images.resolve(image, credential, bounds),
    apply: (rollout, bounds) =>
      within(engine, bounds, (signal) => applyRollout({ engine, networks, rollout, signal, cores })),
    observe: (filter = {}, bounds) => within(engine, bounds, (signal) => observeReplicas(engine, filter, signal)),
    remove: (reference, bounds) => {
      const seconds = bounds.graceSeconds + (bounds.timeoutSeconds ?? engine.callTimeoutSeconds)
      const work = (signal: AbortSignal) => removeReplicas(engine, reference, bounds, signal)
      return within(engine, bounds, work, { seconds })
    },
    removeVolume: (volumeId, bounds) => within(engine, bounds, (signal) => removeVolume(engine, volumeId, signal)),
    removeNetwork: (accountId, bounds) => within(engine, bounds, (signal) => networks.remove(accountId, signal)),
    logs: (name, bounds) => replicaLogs(engine, name, bounds),
    stats: (name, bounds) => within(engine, bounds, (signal) => samples.stats(name, signal)),
    builder: (bounds) => within(engine, bounds, (signal) => builderTraits(engine, signal)),
    build: (build, bounds) => within(engine, bounds, (signal) => buildImage({ engine, networks }, build, signal)),
    pushImage: (push, bounds) => within(engine, bounds, (signal) => pushImage(engine, push, signal)),
    builtImages: (filter = {}, bounds) => within(engine, bounds, (signal) => listBuilt(engine, filter, signal)),
    removeImage: (id, bounds) => within(engine, bounds, (signal) => removeBuilt(engine, id, signal)),
    buildSteps: (filter = {}, bounds) => within(engine, bounds, (signal) => listBuildSteps(engine, filter, signal)),
    removeBuildStep: (id, bounds) => within(engine, bounds, (signal) => removeBuildStep(engine, id, signal)),
    clearBuilds: (reference, bounds) => within(engine, bounds, (signal) => clearBuilds(engine, reference, signal)),
    watch: (onHint, signal) => void watchReplicas(engine, onHint, signal),
  }
}

/** A machine's cores do not change while its engine runs, so they are asked for once. */
function rememberedCores(engine: DockerEngine): () => Promise<number> {
  let cores: Promise<number> | null = null
  return () => {
    const signal = AbortSignal.timeout(engine.callTimeoutSeconds * 1000)
    cores ??= ask(engine, { path: '/info', signal }).then((info) => (info as { NCPU: number }).NCPU)
    cores.catch(() => {
      cores = null
    })
    return cores
  }
}
