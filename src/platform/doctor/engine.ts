import { readFileSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { LOCAL_SOCKET } from '../../domain/engine-address.ts'
import type { PartState } from '../../domain/part-states.ts'
import { type EngineMachine, EngineUnsupported, type RuntimeInfo } from '../../engines/runtime/container-runtime.ts'
import { openContainerEngine } from '../container-engine.ts'
import { type Finding, ofPart, ok, warn } from './finding.ts'
import { checkEngineDisk } from './machine.ts'

const ANSWER_SECONDS = 4

/** What the engine says of itself, or what is wrong with it. */
export type EngineFacts = { info: RuntimeInfo; machine: EngineMachine } | { part: PartState }

export async function readEngine(config: Config): Promise<EngineFacts> {
  // What the calls below say is the same for every installation.
  const engine = openContainerEngine(config, 'ins_doctor')
  const bounds = { timeoutSeconds: ANSWER_SECONDS }
  try {
    const [info, machine] = await Promise.all([engine.runtime.info(bounds), engine.runtime.machine(bounds)])
    return { info, machine }
  } catch (error) {
    const state = error instanceof EngineUnsupported ? 'ENGINE_UNSUPPORTED' : 'ENGINE_UNREACHABLE'
    return { part: { ready: false, state, reason: (error as Error).message } }
  } finally {
    engine.close()
  }
}

export function engineFinding(facts: EngineFacts): Finding {
  if ('part' in facts) return ofPart('engine', facts.part, '')
  const { info, machine } = facts
  return ok('engine', `${info.name} ${info.version}, images in ${machine.imageStore}`)
}

export function cgroupFinding({ cgroupVersion, cgroupDriver, hasMemoryLimit }: EngineMachine): Finding {
  const found = `version ${cgroupVersion}, driver ${cgroupDriver}`
  if (hasMemoryLimit) return ok('cgroup', found)
  return warn(
    'cgroup',
    `${found}; containers have no memory limit`,
    'Turn the memory controller on (cgroup_enable=memory on the kernel’s command line) and reboot',
  )
}

/** Without an engine that says more, the version is the kernel's. */
function ownCgroup(): Finding {
  try {
    const isV2 = /^\S+ \/sys\/fs\/cgroup cgroup2 /m.test(readFileSync('/proc/mounts', 'utf8'))
    return ok('cgroup', `version ${isV2 ? 2 : 1}`)
  } catch {
    return ok('cgroup', 'this machine has none; the engine runs in a virtual machine')
  }
}

/** The engine, and what it says about its machine. */
export async function checkEngine(config: Config, reading: Promise<EngineFacts>): Promise<Finding[]> {
  const facts = await reading
  if ('part' in facts) return [engineFinding(facts), ownCgroup()]
  const isLocal = (config.DOCKER_HOST ?? LOCAL_SOCKET).replace(/^unix:\/\//, '').startsWith('/')
  const disk = isLocal ? [await checkEngineDisk(facts.machine.dataRoot)] : []
  return [engineFinding(facts), cgroupFinding(facts.machine), ...disk]
}
