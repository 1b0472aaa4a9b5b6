import type { DockerVersion } from 'dockerode'
import { type EngineMachine, EngineUnsupported, type RuntimeInfo } from '../../runtime/container-runtime.ts'
import { ask, type DockerEngine } from '../connection.ts'
import { messageOf, statusOf } from '../engine-answers.ts'

/** Of Docker Engine 20.10. */
const OLDEST_API = '1.41'

/** Throws EngineUnsupported when the engine is too old, is none that Berth can work with, or refuses its API. */
export async function readEngineInfo(engine: DockerEngine, signal: AbortSignal): Promise<RuntimeInfo> {
  const { Version, ApiVersion, Components = [] } = await readVersion(engine, signal)
  // It invents another identity for each caller, so that Berth would not know its own engine again.
  if (Components.some(({ Name }) => Name === 'Podman Engine')) {
    throw new EngineUnsupported(
      `The container engine ${engine.name} is Podman ${Version}, which lacks parts of the API of Docker Engine that Berth needs`,
    )
  }
  if (isOlder(ApiVersion, OLDEST_API)) {
    throw new EngineUnsupported(
      `The container engine ${engine.name} has version ${Version} (API ${ApiVersion}); Berth needs Docker Engine 20.10 (API ${OLDEST_API}) or newer`,
    )
  }
  return { name: 'Docker Engine', version: Version }
}

interface Info {
  Driver: string
  DriverStatus?: [string, string][]
  DockerRootDir: string
  CgroupVersion?: string
  CgroupDriver?: string
  MemoryLimit?: boolean
  NCPU: number
  MemTotal: number
  RegistryConfig?: { Mirrors?: string[] | null } | null
}

export async function readEngineMachine(engine: DockerEngine, signal: AbortSignal): Promise<EngineMachine> {
  const info = (await ask(engine, { path: '/info', signal })) as Info
  const isContainerd = (info.DriverStatus ?? []).some(([, value]) => value.startsWith('io.containerd.snapshotter'))
  return {
    imageStore: isContainerd ? `containerd ${info.Driver}` : info.Driver,
    dataRoot: info.DockerRootDir,
    cgroupVersion: info.CgroupVersion ?? '1',
    cgroupDriver: info.CgroupDriver ?? 'none',
    hasMemoryLimit: info.MemoryLimit === true,
    cpus: info.NCPU,
    memoryBytes: info.MemTotal,
    mirrors: info.RegistryConfig?.Mirrors ?? [],
  }
}

/** Paths name no version of the API, so whatever refuses one refuses Berth: a proxy before the engine, or another program. */
async function readVersion(engine: DockerEngine, signal: AbortSignal): Promise<DockerVersion> {
  try {
    return (await ask(engine, { path: '/version', signal })) as DockerVersion
  } catch (error) {
    const status = statusOf(error)
    // Other codes may pass.
    if (status === null || status < 400 || status >= 500) throw error
    throw new EngineUnsupported(
      `The container engine ${engine.name} refuses its API: GET /version is answered with ${status}: ${messageOf(error)}`,
    )
  }
}

function isOlder(version: string, than: string): boolean {
  const [[major = 0, minor = 0], [thanMajor = 0, thanMinor = 0]] = [version, than].map(numbersOf) as [
    number[],
    number[],
  ]
  return major < thanMajor || (major === thanMajor && minor < thanMinor)
}

const numbersOf = (version: string): number[] => version.split('.').map(Number)
