import type { ContainerEngine } from '../../../src/platform/container-engine.ts'
import type { EngineFault, EngineOptions } from '../../contracts/engine-harness.ts'
import { createMemoryImageBuilder } from './memory-image-builder.ts'
import type { MemoryMachine } from './memory-machine.ts'
import { createMemoryRuntime } from './memory-runtime.ts'

/** Both ports on a machine in memory, for one installation. */
export function memoryEngine(
  machine: MemoryMachine,
  { installationId, callTimeoutSeconds = 30, pullIdleSeconds = 60 }: EngineOptions,
  fault: EngineFault | null = null,
): ContainerEngine {
  const connection = { machine, installationId, callTimeoutSeconds, pullIdleSeconds, fault }
  return { runtime: createMemoryRuntime(connection), imageBuilder: createMemoryImageBuilder(connection) }
}
