import type { ContainerCreateOptions } from 'dockerode'
import { replicaName } from '../../domain/replica-name.ts'
import type { Rollout } from '../container-runtime.ts'
import { replicaLabels } from './replica-labels.ts'
import { mountsOf } from './volumes.ts'

/**
 * The capabilities that remain after `CapDrop: ALL`: the least that the official nginx and node images need to start
 * and stop. CHOWN, SETUID and SETGID: nginx, like every entrypoint that uses gosu, prepares its folders and then drops
 * root. KILL: without it the init process, being root, may not pass SIGTERM to a process that dropped root, and dies
 * instead. NET_BIND_SERVICE is not needed: since 20.10 engines let every user of a container listen below 1024.
 */
const CAPABILITIES = ['CHOWN', 'SETUID', 'SETGID', 'KILL']

/** How replicas are reached: at their own address on the account's bridge, or at a loopback port the engine picks. */
export type Reach = 'address' | 'published'

/** The parts of a rollout that the engine decides: its host, its address, and the number of cores. */
export interface Placement {
  installationId: string
  network: string
  reach: Reach
  cores: number
  /** Processes and threads of one container. */
  processes: number
}

/** The container of one replica. */
export function containerSpec(rollout: Rollout, index: number, placement: Placement): ContainerCreateOptions {
  return {
    name: replicaName(rollout, index),
    Image: rollout.pinnedImage,
    ...commandOf(rollout),
    Env: Object.entries(rollout.environment).map(([name, value]) => `${name}=${value}`),
    Labels: replicaLabels(placement.installationId, rollout, index),
    ...(rollout.port === null ? {} : { ExposedPorts: { [`${rollout.port}/tcp`]: {} } }),
    // Other environments of the account reach it by this name, whichever container answers (internalUrl).
    NetworkingConfig: { EndpointsConfig: { [placement.network]: { Aliases: [rollout.cliEnvName] } } },
    HostConfig: {
      ...hardening,
      ...limitsOf(rollout, placement.cores),
      PidsLimit: placement.processes,
      NetworkMode: placement.network,
      Mounts: mountsOf(rollout, placement.installationId),
      RestartPolicy: { Name: 'unless-stopped' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
      ...(rollout.port !== null && placement.reach === 'published'
        ? { PortBindings: { [`${rollout.port}/tcp`]: [{ HostIp: '127.0.0.1', HostPort: '' }] } }
        : {}),
    },
  }
}

// The seccomp profile is the engine's default, which applies as none is named here; the user is the image's.
const hardening = {
  CapDrop: ['ALL'],
  CapAdd: CAPABILITIES,
  SecurityOpt: ['no-new-privileges:true'],
  Privileged: false,
  // Reaps orphans, and gives SIGTERM its default meaning for apps that install no handler.
  Init: true,
} as const

/** Memory and swap together equal the memory limit, so there is no swap to hide a leak in. */
function limitsOf({ resources }: Rollout, cores: number) {
  const memory = resources.memoryMb * 1024 * 1024
  // Engines refuse a limit above the machine's cores, where it would limit nothing.
  const cpu = Math.min(resources.cpu, cores)
  return { Memory: memory, MemorySwap: memory, NanoCpus: Math.round(cpu * 1e9) }
}

/** An entrypoint replaces the image's arguments too; arguments alone keep the image's entrypoint. */
function commandOf({
  command,
  workingDir,
}: Rollout): Pick<ContainerCreateOptions, 'Entrypoint' | 'Cmd' | 'WorkingDir'> {
  return {
    ...(command === null ? {} : { Cmd: command.args }),
    ...(command !== null && command.entrypoint.length > 0 ? { Entrypoint: command.entrypoint } : {}),
    ...(workingDir === null ? {} : { WorkingDir: workingDir }),
  }
}
